INSERT INTO clinicians (clinician, title, office, youngest, oldest, takes_new) VALUES
  ('callaway',  'Doctor Callaway',                  'quarry_street', 18, 120, 0),
  ('haddad',    'Doctor Haddad',                    'elm_hollow',    18, 120, 1),
  ('fairbanks', 'Doctor Fairbanks',                 'elm_hollow',     0,  17, 1),
  ('petersen',  'nurse practitioner Petersen', 'lakeside',      12, 120, 1);

INSERT INTO patients (patient_id, full_name, date_of_birth, phone, chart_number, clinician) VALUES
  ('pat_victor',   'Victor Lang',      '1974-06-21', '4065550127', 'KL-481920', 'callaway'),
  ('pat_emily',    'Emily Foster',     '2011-03-09', '4065550132', 'KL-527163', 'fairbanks'),
  ('pat_robert',   'Robert Keller',    '1961-11-18', '4065550148', 'KL-390275', 'callaway'),
  ('pat_alice',    'Alice Norman',     '1983-04-26', '4065550153', 'KL-614807', 'petersen'),
  ('pat_daniel',   'Daniel Marsh',     '1979-02-16', '4065550164', 'KL-452938', 'callaway'),
  ('pat_laura',    'Laura Benton',     '1990-08-27', '4065550172', 'KL-583412', 'haddad'),
  ('pat_steven',   'Steven Alvarez',   '1968-05-12', '4065550186', 'KL-371649', 'haddad'),
  ('pat_frank',    'Frank Oliver',     '1957-09-24', '4065550193', 'KL-268451', 'callaway'),
  ('pat_helen',    'Helen Warren',     '1943-07-16', '4065550129', 'KL-149386', 'callaway'),
  ('pat_angela',   'Angela Morris',    '1986-12-04', '4065550137', 'KL-605291', 'petersen'),
  ('pat_kevin',    'Kevin Holland',    '1992-10-28', '4065550145', 'KL-716024', 'haddad'),
  ('pat_diane',    'Diane Fletcher',   '1965-03-21', '4065550156', 'KL-342517', 'callaway'),
  ('pat_oscar',    'Oscar Brennan',    '1988-06-16', '4065550168', 'KL-659173', 'petersen'),
  ('pat_carol',    'Carol Simmons',    '1971-08-24', '4065550174', 'KL-428061', 'haddad'),
  ('pat_nathan',   'Nathan Briggs',    '1984-05-18', '4065550182', 'KL-574936', 'haddad'),
  ('pat_teresa',   'Teresa Lawson',    '1976-04-12', '4065550195', 'KL-463108', 'callaway'),
  ('pat_gordon',   'Gordon Hayes',     '1952-12-16', '4065550124', 'KL-217539', 'callaway'),
  ('pat_melissa',  'Melissa Turner',   '1995-02-24', '4065550136', 'KL-738205', 'petersen'),
  ('pat_raymond',  'Raymond Castle',   '1980-11-27', '4065550143', 'KL-519427', 'haddad'),
  ('pat_joyce',    'Joyce Palmer',     '1963-06-08', '4065550158', 'KL-316842', 'callaway'),
  ('pat_harold',   'Harold Jensen',    '1949-08-21', '4065550162', 'KL-192674', 'callaway'),
  ('pat_sandra',   'Sandra Ellis',     '1982-03-26', '4065550179', 'KL-546318', 'petersen'),
  ('pat_philip',   'Philip Garner',    '1970-05-24', '4065550184', 'KL-437290', 'haddad'),
  ('pat_denise',   'Denise Mercer',    '1966-07-28', '4065550197', 'KL-385612', 'haddad'),
  ('pat_andrew',   'Andrew Solomon',   '1978-12-12', '4065550126', 'KL-470583', 'petersen'),
  ('pat_patricia', 'Patricia Lowell',  '1955-02-18', '4065550135', 'KL-253946', 'haddad'),
  ('pat_brian',    'Brian Novak',      '1989-04-16', '4065550142', 'KL-621759', 'haddad'),
  ('pat_ellen',    'Ellen Fisher',     '1973-06-24', '4065550157', 'KL-418372', 'callaway'),
  ('pat_walter',   'Walter Greene',    '1947-11-12', '4065550163', 'KL-175926', 'callaway'),
  ('pat_janet',    'Janet Crosby',     '1960-08-18', '4065550178', 'KL-329451', 'haddad'),
  ('pat_rachel',   'Rachel Dalton',    '1993-05-26', '4065550189', 'KL-702164', 'petersen'),
  ('pat_thomas',   'Thomas Hudson',    '1969-03-12', '4065550192', 'KL-351892', 'callaway');

INSERT INTO representatives (representative_id, patient_id, full_name, relation, scope, active) VALUES
  ('rep_monica', 'pat_victor', 'Monica Lang',   'spouse', 'full',         1),
  ('rep_sharon', 'pat_emily',  'Sharon Foster', 'parent', 'full',         1),
  ('rep_julia',  'pat_helen',  'Julia Warren',  'child',  'appointments', 1),
  ('rep_martin', 'pat_alice',  'Martin Norman', 'spouse', 'full',         0);

INSERT INTO visit_types (visit_type, spoken, late_days, late_fee, self_pay) VALUES
  ('annual_exam',      'a yearly exam',            1, 40.00, 210.00),
  ('problem_visit',    'a problem visit',          1, 40.00, 145.00),
  ('follow_up',        'a follow-up visit',        1, 40.00, 110.00),
  ('medication_visit', 'a medication visit',       1, 40.00, 120.00),
  ('new_patient',      'a first visit',            2, 60.00, 235.00),
  ('procedure',        'a minor procedure',        3, 75.00, 320.00),
  ('child_checkup',    'a well child visit',       1, 40.00, 180.00);

INSERT INTO visit_rules (visit_type, clinician) VALUES
  ('annual_exam', 'callaway'), ('annual_exam', 'haddad'), ('annual_exam', 'petersen'),
  ('problem_visit', 'callaway'), ('problem_visit', 'haddad'), ('problem_visit', 'petersen'), ('problem_visit', 'fairbanks'),
  ('follow_up', 'callaway'), ('follow_up', 'haddad'), ('follow_up', 'petersen'), ('follow_up', 'fairbanks'),
  ('medication_visit', 'callaway'), ('medication_visit', 'haddad'),
  ('new_patient', 'haddad'), ('new_patient', 'petersen'), ('new_patient', 'fairbanks'),
  ('procedure', 'haddad'),
  ('child_checkup', 'fairbanks');

INSERT INTO visit_slots (slot_id, clinician, office, starts_at, purpose) VALUES
  ('VS-1101', 'callaway',  'quarry_street', '2026-10-14T09:00', 'visit'),
  ('VS-1102', 'callaway',  'quarry_street', '2026-10-19T08:00', 'visit'),
  ('VS-1103', 'callaway',  'quarry_street', '2026-10-21T15:00', 'visit'),
  ('VS-1104', 'callaway',  'quarry_street', '2026-10-22T10:00', 'visit'),
  ('VS-1105', 'callaway',  'quarry_street', '2026-10-26T14:00', 'visit'),
  ('VS-1106', 'callaway',  'quarry_street', '2026-10-28T09:00', 'visit'),
  ('VS-1107', 'callaway',  'quarry_street', '2026-11-04T11:00', 'visit'),
  ('VS-1108', 'callaway',  'quarry_street', '2026-10-16T13:00', 'visit'),
  ('VS-1201', 'haddad',    'elm_hollow',    '2026-10-14T14:00', 'visit'),
  ('VS-1202', 'haddad',    'elm_hollow',    '2026-10-16T09:00', 'visit'),
  ('VS-1203', 'haddad',    'elm_hollow',    '2026-10-20T11:00', 'visit'),
  ('VS-1204', 'haddad',    'elm_hollow',    '2026-10-23T15:00', 'visit'),
  ('VS-1205', 'haddad',    'elm_hollow',    '2026-10-27T10:00', 'visit'),
  ('VS-1206', 'haddad',    'elm_hollow',    '2026-11-05T09:00', 'visit'),
  ('VS-1207', 'haddad',    'elm_hollow',    '2026-10-29T16:00', 'visit'),
  ('VS-1208', 'haddad',    'elm_hollow',    '2026-11-18T13:00', 'procedure'),
  ('VS-1209', 'haddad',    'quarry_street', '2026-11-24T10:00', 'procedure'),
  ('VS-1301', 'petersen',  'lakeside',      '2026-10-15T10:00', 'visit'),
  ('VS-1302', 'petersen',  'lakeside',      '2026-10-19T16:00', 'visit'),
  ('VS-1303', 'petersen',  'lakeside',      '2026-10-22T09:00', 'visit'),
  ('VS-1304', 'petersen',  'lakeside',      '2026-10-24T11:00', 'visit'),
  ('VS-1305', 'petersen',  'quarry_street', '2026-10-22T13:00', 'visit'),
  ('VS-1306', 'petersen',  'lakeside',      '2026-10-29T14:00', 'visit'),
  ('VS-1401', 'fairbanks', 'elm_hollow',    '2026-10-15T15:00', 'visit'),
  ('VS-1402', 'fairbanks', 'elm_hollow',    '2026-10-20T16:00', 'visit'),
  ('VS-1001', 'callaway',  'quarry_street', '2026-09-22T10:00', 'visit'),
  ('VS-1002', 'haddad',    'elm_hollow',    '2026-09-29T11:00', 'visit');

INSERT INTO visits (visit_id, patient_id, visit_type, slot_id, reason, status, arranged_by) VALUES
  ('VIS-S101', 'pat_laura',  'follow_up',     'VS-1207', 'Blood pressure after a new dose.',   'booked',    'self'),
  ('VIS-S102', 'pat_steven', 'problem_visit', 'VS-1201', 'Sore shoulder.',                     'booked',    'self'),
  ('VIS-S103', 'pat_helen',  'follow_up',     'VS-1101', 'Knee after the fall.',               'booked',    'rep_julia'),
  ('VIS-S104', 'pat_kevin',  'problem_visit', 'VS-1203', 'Cough for three weeks.',             'booked',    'self'),
  ('VIS-S105', 'pat_oscar',  'problem_visit', 'VS-1303', 'Headaches at work.',                 'booked',    'self'),
  ('VIS-S106', 'pat_carol',  'problem_visit', 'VS-1204', 'Pain in the lower back.',            'booked',    'self'),
  ('VIS-S107', 'pat_joyce',  'follow_up',     'VS-1103', 'Thyroid levels.',                    'booked',    'self'),
  ('VIS-S108', 'pat_gordon', 'annual_exam',   'VS-1001', 'Yearly exam.',                       'cancelled', 'self'),
  ('VIS-S109', 'pat_teresa', 'problem_visit', 'VS-1002', 'Earache.',                          'cancelled', 'self');

INSERT INTO waiting_list (entry_id, patient_id, visit_type, clinician) VALUES
  ('WL-S201', 'pat_ellen', 'annual_exam', 'callaway');

INSERT INTO plans (plan, spoken) VALUES
  ('larkmoor_choice', 'Larkmoor Choice'), ('larkmoor_saver', 'Larkmoor Saver'),
  ('harborline', 'Harborline'), ('timber_trail', 'Timber Trail');

INSERT INTO plan_offices (plan, office) VALUES
  ('larkmoor_choice', 'quarry_street'), ('larkmoor_choice', 'elm_hollow'), ('larkmoor_choice', 'lakeside'),
  ('larkmoor_saver', 'quarry_street'),
  ('harborline', 'quarry_street'), ('harborline', 'elm_hollow'),
  ('timber_trail', 'quarry_street'), ('timber_trail', 'lakeside');

INSERT INTO copays (plan, service, copay) VALUES
  ('larkmoor_choice', 'annual_exam', 0.00), ('larkmoor_choice', 'problem_visit', 30.00), ('larkmoor_choice', 'follow_up', 30.00),
  ('larkmoor_choice', 'medication_visit', 30.00), ('larkmoor_choice', 'new_patient', 30.00), ('larkmoor_choice', 'procedure', 60.00),
  ('larkmoor_choice', 'child_checkup', 0.00), ('larkmoor_choice', 'xray', 20.00), ('larkmoor_choice', 'ultrasound', 45.00),
  ('larkmoor_choice', 'mri', 150.00), ('larkmoor_choice', 'ct', 120.00),
  ('larkmoor_saver', 'annual_exam', 0.00), ('larkmoor_saver', 'problem_visit', 55.00), ('larkmoor_saver', 'follow_up', 55.00),
  ('larkmoor_saver', 'medication_visit', 55.00), ('larkmoor_saver', 'new_patient', 70.00), ('larkmoor_saver', 'procedure', 110.00),
  ('larkmoor_saver', 'child_checkup', 0.00), ('larkmoor_saver', 'xray', 60.00), ('larkmoor_saver', 'ultrasound', 90.00),
  ('larkmoor_saver', 'mri', 300.00), ('larkmoor_saver', 'ct', 240.00),
  ('harborline', 'annual_exam', 0.00), ('harborline', 'problem_visit', 35.00), ('harborline', 'follow_up', 25.00),
  ('harborline', 'medication_visit', 25.00), ('harborline', 'new_patient', 40.00), ('harborline', 'procedure', 80.00),
  ('harborline', 'child_checkup', 0.00), ('harborline', 'xray', 25.00), ('harborline', 'ultrasound', 50.00),
  ('harborline', 'mri', 180.00), ('harborline', 'ct', 160.00),
  ('timber_trail', 'annual_exam', 0.00), ('timber_trail', 'problem_visit', 20.00), ('timber_trail', 'follow_up', 20.00),
  ('timber_trail', 'medication_visit', 20.00), ('timber_trail', 'new_patient', 20.00), ('timber_trail', 'procedure', 50.00),
  ('timber_trail', 'child_checkup', 0.00), ('timber_trail', 'xray', 15.00), ('timber_trail', 'ultrasound', 35.00),
  ('timber_trail', 'mri', 125.00), ('timber_trail', 'ct', 95.00);

INSERT INTO patient_plans (patient_id, plan, member_id, ends_on) VALUES
  ('pat_daniel',   'larkmoor_choice', 'ML-2849163', NULL),
  ('pat_laura',    'harborline',      'ML-3761482', NULL),
  ('pat_frank',    'timber_trail',     'ML-1936274', NULL),
  ('pat_helen',    'larkmoor_choice', 'ML-4182937', NULL),
  ('pat_angela',   'larkmoor_saver',  'ML-5293718', '2026-09-30'),
  ('pat_kevin',    'harborline',      'ML-6173849', '2026-09-30'),
  ('pat_diane',    'larkmoor_choice', 'ML-7284916', NULL),
  ('pat_oscar',    'larkmoor_choice', 'ML-8391627', '2026-10-15'),
  ('pat_carol',    'harborline',      'ML-9416283', NULL),
  ('pat_joyce',    'larkmoor_choice', 'ML-2639184', NULL),
  ('pat_denise',   'harborline',      'ML-3748291', NULL),
  ('pat_patricia', 'harborline',      'ML-4859136', NULL),
  ('pat_brian',    'harborline',      'ML-5961824', NULL),
  ('pat_ellen',    'timber_trail',     'ML-6714928', NULL),
  ('pat_walter',   'larkmoor_choice', 'ML-7825139', NULL),
  ('pat_janet',    'harborline',      'ML-8936241', NULL),
  ('pat_rachel',   'timber_trail',     'ML-9147358', NULL),
  ('pat_thomas',   'larkmoor_saver',  'ML-1258469', NULL);

INSERT INTO statements (statement_number, patient_id, issued_on, plan_paid, balance, status) VALUES
  ('STM-3017', 'pat_nathan',  '2026-09-24', 125.50,  62.50, 'open'),
  ('STM-3024', 'pat_teresa',  '2026-09-16', 410.00, 180.00, 'open'),
  ('STM-3036', 'pat_melissa', '2026-09-28',  95.00,  96.00, 'open'),
  ('STM-3042', 'pat_raymond', '2026-09-18', 230.00, 184.00, 'open'),
  ('STM-3058', 'pat_joyce',   '2026-09-26', 150.00,  48.00, 'open'),
  ('STM-3063', 'pat_helen',   '2026-09-12',  88.00,  35.00, 'open'),
  ('STM-3071', 'pat_nathan',  '2026-04-14',  90.00,  30.00, 'paid');

INSERT INTO statement_lines (statement_number, line, words, amount) VALUES
  ('STM-3017', 1, 'problem visit', 148.00), ('STM-3017', 2, 'throat swab', 40.00),
  ('STM-3024', 1, 'minor procedure', 520.00), ('STM-3024', 2, 'dressing supplies', 70.00),
  ('STM-3036', 1, 'follow-up visit', 95.00), ('STM-3036', 2, 'blood count', 48.00), ('STM-3036', 3, 'blood count', 48.00),
  ('STM-3042', 1, 'problem visit', 148.00), ('STM-3042', 2, 'wound care', 266.00),
  ('STM-3058', 1, 'follow-up visit', 110.00), ('STM-3058', 2, 'thyroid test', 88.00),
  ('STM-3063', 1, 'problem visit', 123.00),
  ('STM-3071', 1, 'follow-up visit', 120.00);

INSERT INTO late_fees (fee_id, patient_id, visit_id, amount) VALUES
  ('FEE-S301', 'pat_gordon', 'VIS-S108', 40.00),
  ('FEE-S302', 'pat_teresa', 'VIS-S109', 40.00);

INSERT INTO waiver_requests (request_id, patient_id, fee_id, reason, status) VALUES
  ('WVR-S401', 'pat_teresa', 'FEE-S302', 'illness', 'refused');

INSERT INTO lab_tests (test_id, patient_id, spoken, taken_on, status) VALUES
  ('LAB-S501', 'pat_emily',  'blood test',         '2026-10-06', 'released'),
  ('LAB-S502', 'pat_philip', 'mole biopsy', '2026-10-02', 'to_be_discussed'),
  ('LAB-S503', 'pat_sandra', 'urine test',         '2026-10-12', 'in_lab'),
  ('LAB-S504', 'pat_alice',  'blood test',         '2026-10-07', 'released');

INSERT INTO medicines (patient_id, medicine, filled_on, days_supply, controlled, review_due) VALUES
  ('pat_harold',   'lisinopril',    '2026-07-20', 90, 0, '2027-03-01'),
  ('pat_denise',   'zolpidem',      '2026-09-14', 30, 1, '2026-12-01'),
  ('pat_patricia', 'levothyroxine', '2026-07-18', 90, 0, '2027-01-15'),
  ('pat_patricia', 'atorvastatin',  '2026-07-18', 90, 0, '2026-09-30'),
  ('pat_andrew',   'sertraline',    '2026-09-25', 60, 0, '2027-02-01'),
  ('pat_gordon',   'amlodipine',    '2026-10-01', 90, 0, '2027-04-01');

INSERT INTO clinical_messages (message_id, patient_id, topic, urgency, message) VALUES
  ('MSG-S601', 'pat_harold', 'form', 'routine', 'Needs the form for the parking permit.');

INSERT INTO records_requests (request_id, patient_id, recipient, content, status) VALUES
  ('REC-S701', 'pat_ellen', 'patient', 'test_results', 'open');

INSERT INTO imaging_orders (order_number, patient_id, kind, spoken, contrast, preparation, expires_on) VALUES
  ('IMG-5104', 'pat_brian',  'xray',       'an X-ray of the right knee',    0, 'Wear loose pants and leave jewelry at home.', '2026-12-31'),
  ('IMG-5117', 'pat_ellen',  'ultrasound', 'an ultrasound of the belly',    0, 'Don''t eat anything for six hours before; water is the only thing you may drink.', '2026-11-30'),
  ('IMG-5123', 'pat_walter', 'mri',        'an MRI of the lower back',      0, 'Leave anything metal at home, and come twenty minutes early.', '2026-12-15'),
  ('IMG-5136', 'pat_janet',  'xray',       'an X-ray of the left hip',      0, 'Wear loose pants and leave jewelry at home.', '2026-10-01'),
  ('IMG-5142', 'pat_rachel', 'ct',         'a CT of the belly',             1, 'Don''t eat anything for four hours before; water is fine.', '2026-12-10'),
  ('IMG-5158', 'pat_thomas', 'mri',        'an MRI of the shoulder',        0, 'Leave anything metal at home, and come twenty minutes early.', '2026-11-20'),
  ('IMG-5163', 'pat_diane',  'mri',        'an MRI of the neck',            0, 'Leave anything metal at home, and come twenty minutes early.', '2026-12-20');

INSERT INTO approvals (order_number, status, office) VALUES
  ('IMG-5123', 'approved', NULL),
  ('IMG-5142', 'approved', NULL),
  ('IMG-5158', 'approved', 'quarry_street');

INSERT INTO imaging_slots (slot_id, kind, office, starts_at) VALUES
  ('IS-2101', 'xray',       'elm_hollow',    '2026-10-15T09:00'),
  ('IS-2102', 'xray',       'quarry_street', '2026-10-16T11:00'),
  ('IS-2201', 'ultrasound', 'quarry_street', '2026-10-19T08:00'),
  ('IS-2202', 'ultrasound', 'lakeside',      '2026-10-22T10:00'),
  ('IS-2203', 'ultrasound', 'quarry_street', '2026-10-26T09:00'),
  ('IS-2301', 'mri',        'lakeside',      '2026-10-17T10:00'),
  ('IS-2302', 'mri',        'quarry_street', '2026-10-21T14:00'),
  ('IS-2303', 'mri',        'quarry_street', '2026-10-28T08:00'),
  ('IS-2401', 'ct',         'quarry_street', '2026-10-20T13:00'),
  ('IS-2402', 'ct',         'lakeside',      '2026-10-23T15:00');
