INSERT INTO staff (staff_id, full_name, role, away_until, covered_by) VALUES
  ('st_nolan',     'Peter Nolan',    'lawyer',    NULL,         NULL),
  ('st_merrin',    'Daniel Merrin',  'lawyer',    NULL,         NULL),
  ('st_sayles',    'Grace Sayles',   'lawyer',    NULL,         NULL),
  ('st_halvorsen', 'Ruth Halvorsen', 'lawyer',    '2026-09-21', 'st_nolan'),
  ('st_lindell',   'Karen Lindell',  'paralegal', NULL,         NULL),
  ('st_lindahl',   'Karen Lindahl',  'paralegal', NULL,         NULL),
  ('st_webb',      'Thomas Webb',    'billing',   NULL,         NULL),
  ('st_ortiz',     'Maria Ortiz',    'records',   NULL,         NULL);

INSERT INTO matters (matter_number, area, state, lawyer, paralegal, phone_code, told) VALUES
  ('253147', 'personal_injury', 'minnesota', 'st_halvorsen', 'st_lindell', '58214',
   'The insurer has our demand letter, and its answer is due by the end of the month.'),
  ('246382', 'employment',      'minnesota', 'st_nolan',     'st_lindahl', '40967',
   'The other side has asked for your pay stubs, and we are gathering them.'),
  ('261945', 'family',          'minnesota', 'st_merrin',    'st_lindell', '73162',
   'Both sides have turned in their property lists, and a date is set for the mediation.'),
  ('238604', 'estates',         'minnesota', 'st_merrin',    'st_lindahl', '96031',
   'The court has accepted the inventory, and the notice to creditors runs until December.'),
  ('257319', 'housing',         'minnesota', 'st_sayles',    'st_lindell', '31748',
   'The answer to the landlord''s papers was filed in time, and a hearing is set.'),
  ('264780', 'personal_injury', 'wisconsin', 'st_nolan',     'st_lindahl', '65903',
   'The accident report has arrived, and we are waiting for the hospital records.'),
  ('249751', 'family',          'minnesota', 'st_merrin',    'st_lindahl', '82416',
   'The order on parenting time is in force, and a review is set for December.'),
  ('254068', 'employment',      'wisconsin', 'st_nolan',     'st_lindell', '17539',
   'The deposition was taken in August, and the expert''s report has come in.'),
  ('236915', 'housing',         'minnesota', 'st_sayles',    'st_lindahl', '94283',
   'The settlement is signed, and the deposit has been paid out to you.'),
  ('258270', 'estates',         'wisconsin', 'st_merrin',    'st_lindell', '26870',
   'The draft of the will is ready for you to read.'),
  ('263804', 'employment',      'minnesota', 'st_nolan',     'st_lindahl', '49316',
   'The charge was filed in July, and the employer has until October to answer.'),
  ('247563', 'personal_injury', 'minnesota', 'st_nolan',     'st_lindell', '71825',
   'The other side has made an offer, and your lawyer will talk it over with you.');

INSERT INTO matter_people (matter_number, full_name, date_of_birth, role) VALUES
  ('253147', 'Joan Becker',    '1968-04-09', 'client'),
  ('246382', 'Martin Fisher',  '1975-11-23', 'client'),
  ('261945', 'Alice Warner',   '1990-02-17', 'client'),
  ('261945', 'Paul Warner',    '1986-07-30', 'contact'),
  ('238604', 'Henry Dawson',   '1951-08-12', 'client'),
  ('257319', 'Nina Foster',    '1983-06-25', 'client'),
  ('264780', 'Victor Lane',    '1979-12-05', 'client'),
  ('249751', 'Laura Simmons',  '1994-01-28', 'client'),
  ('254068', 'Leonard Pratt',  '1963-03-19', 'client'),
  ('236915', 'Diane Porter',   '1971-09-02', 'client'),
  ('258270', 'Kevin Doyle',    '1988-05-14', 'client'),
  ('263804', 'Teresa Vaughn',  '1966-10-07', 'client'),
  ('247563', 'Simon Abbott',   '1958-02-21', 'client');

INSERT INTO parties (full_name, former_name, town, side, matter_number) VALUES
  ('Joan Becker',        NULL,            'Two Harbors',  'client',        '253147'),
  ('Martin Fisher',      NULL,            'Duluth',       'client',        '246382'),
  ('Alice Warner',       NULL,            'Hermantown',   'client',        '261945'),
  ('Henry Dawson',       NULL,            'Duluth',       'client',        '238604'),
  ('Nina Foster',        NULL,            'Duluth',       'client',        '257319'),
  ('Victor Lane',        NULL,            'Superior',     'client',        '264780'),
  ('Laura Simmons',      NULL,            'Cloquet',      'client',        '249751'),
  ('Leonard Pratt',      NULL,            'Superior',     'client',        '254068'),
  ('Diane Porter',       NULL,            'Proctor',      'client',        '236915'),
  ('Kevin Doyle',        NULL,            'Ashland',      'client',        '258270'),
  ('Teresa Vaughn',      NULL,            'Duluth',       'client',        '263804'),
  ('Simon Abbott',       NULL,            'Two Harbors',  'client',        '247563'),
  ('Summit Trucking',    NULL,            'Grand Rapids',   'client',        NULL),
  ('Sandra Boyd',        'Sandra Keller', 'Grand Rapids',   'client',        NULL),
  ('Dennis Walsh',       NULL,            'Iron River',   'client',        NULL),
  ('Carol Jensen',       NULL,            'Silver Bay',   'former_client', NULL),
  ('Harold Quinn',       NULL,            'Grand Rapids', 'former_client', NULL),
  ('Brian Nelson',       NULL,            'Grand Rapids', 'adverse',       '246382'),
  ('Evergreen Property', NULL,            'Duluth',       'adverse',       '257319'),
  ('Gordon Warner',      NULL,            'Hermantown',   'adverse',       '261945');

INSERT INTO practice_areas (area, state, phone_fee, office_fee) VALUES
  ('personal_injury',     'minnesota',   0,   0),
  ('personal_injury',     'wisconsin',   0,   0),
  ('medical_malpractice', 'minnesota',   0,   0),
  ('employment',          'minnesota', 120, 165),
  ('employment',          'wisconsin', 120, 165),
  ('housing',             'minnesota',  45,  70),
  ('family',              'minnesota', 185, 240),
  ('estates',             'minnesota', 150, 195),
  ('estates',             'wisconsin', 150, 195);

INSERT INTO limitation_rules (area, state, public_body, years, days) VALUES
  ('personal_injury',     'minnesota', 0, 6,    NULL),
  ('personal_injury',     'minnesota', 1, NULL, 180),
  ('personal_injury',     'wisconsin', 0, 3,    NULL),
  ('personal_injury',     'wisconsin', 1, NULL, 120),
  ('medical_malpractice', 'minnesota', 0, 4,    NULL),
  ('employment',          'minnesota', 0, 1,    NULL),
  ('employment',          'wisconsin', 0, NULL, 300),
  ('housing',             'minnesota', 0, 6,    NULL);

INSERT INTO slots (slot_id, area, mode, starts_at, lawyer) VALUES
  ('slot_511', 'employment',      'phone',  '2026-09-16T10:00', 'st_nolan'),
  ('slot_512', 'employment',      'office', '2026-09-17T14:00', 'st_nolan'),
  ('slot_513', 'employment',      'phone',  '2026-09-18T09:00', 'st_nolan'),
  ('slot_514', 'employment',      'office', '2026-09-22T11:00', 'st_nolan'),
  ('slot_515', 'employment',      'phone',  '2026-09-23T15:00', 'st_nolan'),
  ('slot_521', 'housing',         'phone',  '2026-09-16T13:00', 'st_sayles'),
  ('slot_522', 'housing',         'office', '2026-09-17T10:00', 'st_sayles'),
  ('slot_523', 'housing',         'phone',  '2026-09-21T09:00', 'st_sayles'),
  ('slot_524', 'housing',         'office', '2026-09-24T16:00', 'st_sayles'),
  ('slot_531', 'family',          'office', '2026-09-15T15:00', 'st_merrin'),
  ('slot_532', 'family',          'office', '2026-09-25T11:00', 'st_merrin'),
  ('slot_533', 'family',          'phone',  '2026-09-22T10:00', 'st_merrin'),
  ('slot_534', 'family',          'office', '2026-09-30T09:00', 'st_merrin'),
  ('slot_541', 'estates',         'office', '2026-09-17T09:00', 'st_merrin'),
  ('slot_542', 'estates',         'phone',  '2026-09-21T14:00', 'st_merrin'),
  ('slot_543', 'estates',         'office', '2026-09-23T10:00', 'st_merrin'),
  ('slot_544', 'estates',         'office', '2026-09-25T13:00', 'st_merrin'),
  ('slot_551', 'personal_injury', 'phone',  '2026-09-16T11:00', 'st_nolan'),
  ('slot_552', 'personal_injury', 'office', '2026-09-18T14:00', 'st_nolan'),
  ('slot_553', 'personal_injury', 'phone',  '2026-09-22T16:00', 'st_nolan'),
  ('slot_554', 'personal_injury', 'office', '2026-09-23T09:00', 'st_nolan');

INSERT INTO intakes
  (intake_id, caller_name, phone, other_party, area, state, incident_date, deadline, urgent, summary, status) VALUES
  ('INT-0911', 'Rachel Turner', '2185550164', 'Juniper Street Bakery', 'employment', 'minnesota', '2026-07-02', '2027-07-02', 0,
   'Says that she was fired after she asked to be paid for her overtime.', 'open'),
  ('INT-0912', 'George Palmer', '7155550138', 'Vera Palmer', 'estates', 'wisconsin', NULL, NULL, 0,
   'Wants to go over the will of an aunt who died.', 'open'),
  ('INT-0913', 'Angela Price', '2185550162', 'Cedar Property Management', 'housing', 'minnesota', '2026-05-30', '2032-05-30', 0,
   'Says that she did not get her deposit back after she moved out.', 'open'),
  ('INT-0914', 'Walter Hughes', '2185550175', 'Ellen Hughes', 'family', 'minnesota', NULL, NULL, 0,
   'Wants to talk about a separation.', 'open'),
  ('INT-0915', 'Monica Bell', '2185550149', 'Granite Laundry', 'employment', 'minnesota', '2026-06-11', '2027-06-11', 0,
   'Says that her hours were cut after she reported an accident at work.', 'open'),
  ('INT-0916', 'Louis Grant', '7155550187', 'Estate of Edna Grant', 'estates', 'minnesota', NULL, NULL, 0,
   'Was named executor and does not know what to do first.', 'open'),
  ('INT-0917', 'Owen Blake', '2185550106', 'Birchwood Homes', 'housing', 'minnesota', '2026-08-03', '2032-08-03', 0,
   'Says that the heat in his apartment has not been fixed.', 'open');

INSERT INTO holds (hold_id, intake_id, slot_id, expires_on, status) VALUES
  ('HLD-0731', 'INT-0913', 'slot_521', '2026-09-11', 'active'),
  ('HLD-0732', 'INT-0916', 'slot_541', '2026-09-15', 'active');

INSERT INTO consultations (consultation_id, intake_id, slot_id, fee, late_fee, status) VALUES
  ('CON-0640', 'INT-0912', 'slot_543', 195, 0, 'booked'),
  ('CON-0641', 'INT-0914', 'slot_531', 240, 0, 'booked'),
  ('CON-0642', 'INT-0917', 'slot_521',  45, 0, 'booked');

INSERT INTO court_dates (date_id, matter_number, starts_at, place, what, confirmed) VALUES
  ('CRT-0201', '257319', '2026-09-28T09:00', 'room four twenty of the county courthouse in Duluth', 'the hearing on your lease', 0),
  ('CRT-0202', '261945', '2026-10-06T13:00', 'the mediation center on Canal Street', 'the mediation', 0),
  ('CRT-0203', '249751', '2026-12-03T10:00', 'room three of the county courthouse in Carlton', 'the review', 0);

INSERT INTO documents (matter_number, kind, dated, kept_back) VALUES
  ('253147', 'engagement_letter', '2025-03-11', NULL),
  ('253147', 'medical_summary',   '2026-06-02', NULL),
  ('258270', 'engagement_letter', '2025-10-20', NULL),
  ('258270', 'will_draft',        '2026-08-31', NULL),
  ('254068', 'complaint',         '2026-01-15', NULL),
  ('254068', 'deposition',        '2026-08-19', NULL),
  ('254068', 'expert_report',     '2026-09-04', 'protective order'),
  ('263804', 'engagement_letter', '2026-06-18', NULL),
  ('263804', 'complaint',         '2026-07-09', NULL),
  ('249751', 'engagement_letter', '2024-11-05', NULL);

INSERT INTO invoices (invoice_number, matter_number, issued_on, due_on, balance) VALUES
  ('8841', '238604', '2026-08-28', '2026-09-28', 1260.00),
  ('8856', '236915', '2026-09-01', '2026-10-01', 340.00),
  ('8862', '246382', '2026-09-02', '2026-10-02', 150.00);

INSERT INTO contact_rules (matter_number, rule) VALUES
  ('249751', 'no_mail');
