INSERT INTO tiers (tier, annual_price) VALUES
  ('basic', 0.00), ('plus', 59.00), ('pro', 149.00);

INSERT INTO customers (customer_id, full_name, phone, postal_code, state, card_last4, home_store) VALUES
  ('cust_grace',   'Grace Okonkwo',    '5415550112', '97005', 'OR', '6628', 'Cedar Hills'),
  ('cust_tomas',   'Tomas Ferreira',   '5415550146', '94110', 'CA', '2208', 'Mission Bay'),
  ('cust_dana',    'Dana Whitfield',   '5035550178', '60614', 'IL', '7351', 'Lincoln Yards'),
  ('cust_samuel',  'Samuel Hartley',   '2065550139', '98103', 'WA', '4017', 'Green Lake'),
  ('cust_priya',   'Priya Raman',      '4155550163', '94117', 'CA', '9084', 'Mission Bay'),
  ('cust_walter',  'Walter Nakamura',  '9715550127', '97229', 'OR', '3356', 'Cedar Hills'),
  ('cust_ines',    'Ines Delacroix',   '3125550184', '60657', 'IL', '1742', 'Lincoln Yards'),
  ('cust_marcus',  'Marcus Bellamy',   '6145550151', '43215', 'OH', '8203', 'Short North'),
  ('cust_yusuf',   'Yusuf Demir',      '2065550195', '98115', 'WA', '5579', 'Green Lake'),
  ('cust_helen',   'Helen Strand',     '5415550108', '97401', 'OR', '2461', 'Cedar Hills'),
  ('cust_rosa',    'Rosa Villanueva',  '7205550142', '80211', 'CO', '6935', 'Highlands'),
  ('cust_peter',   'Peter Lindgren',   '6125550173', '55408', 'MN', '4890', 'Uptown'),
  ('cust_abigail', 'Abigail Mercer',   '6145550116', '43202', 'OH', '7714', 'Short North'),
  ('cust_owen',    'Owen Castellan',   '9715550191', '97206', 'OR', '5183', 'Cedar Hills'),
  ('cust_nadia',   'Nadia Bergstrom',  '2065550121', '98107', 'WA', '6340', 'Green Lake'),
  ('cust_leah',    'Leah Brandt',      '7205550186', '80205', 'CO', '3914', 'Highlands'),
  ('cust_elliot',  'Elliot Marsh',     '4155550137', '94131', 'CA', '7296', 'Mission Bay');

INSERT INTO memberships (customer_id, tier, member_since, renews_on, auto_renew) VALUES
  ('cust_grace',   'plus',  '2023-09-14', '2026-09-14', 1),
  ('cust_tomas',   'plus',  '2026-05-10', '2027-05-10', 1),
  ('cust_dana',    'basic', '2024-02-20', NULL,         0),
  ('cust_samuel',  'basic', '2025-11-03', NULL,         0),
  ('cust_priya',   'pro',   '2022-06-01', '2027-06-01', 1),
  ('cust_walter',  'plus',  '2024-10-28', '2026-10-28', 0),
  ('cust_ines',    'basic', '2026-01-17', NULL,         0),
  ('cust_marcus',  'plus',  '2025-08-05', '2026-08-05', 1),
  ('cust_yusuf',   'pro',   '2023-03-30', '2027-03-30', 1),
  ('cust_helen',   'basic', '2021-12-11', NULL,         0),
  ('cust_rosa',    'plus',  '2025-04-22', '2027-04-22', 1),
  ('cust_peter',   'basic', '2026-06-09', NULL,         0),
  ('cust_abigail', 'pro',   '2024-07-19', '2027-07-19', 0),
  ('cust_owen',    'plus',  '2024-03-12', '2027-03-12', 1),
  ('cust_nadia',   'plus',  '2025-12-01', '2026-12-01', 1),
  ('cust_leah',    'plus',  '2025-07-22', '2027-07-22', 1),
  ('cust_elliot',  'plus',  '2024-09-30', '2026-09-30', 1);

INSERT INTO membership_charges (customer_id, charged_on, amount, benefit_used_on) VALUES
  ('cust_grace',   '2025-09-14',  59.00, '2025-11-20'),
  ('cust_tomas',   '2026-05-10',  59.00, NULL),
  ('cust_priya',   '2026-06-01', 149.00, '2026-06-24'),
  ('cust_walter',  '2025-10-28',  59.00, '2025-11-03'),
  ('cust_marcus',  '2025-08-05',  59.00, '2026-07-13'),
  ('cust_yusuf',   '2026-03-30', 149.00, NULL),
  ('cust_rosa',    '2026-04-22',  59.00, '2026-06-21'),
  ('cust_abigail', '2026-07-19', 149.00, '2026-07-29'),
  ('cust_owen',    '2026-03-12',  59.00, NULL),
  ('cust_nadia',   '2025-12-01',  59.00, '2026-07-19'),
  ('cust_leah',    '2026-07-22',  59.00, NULL),
  ('cust_elliot',  '2025-09-30',  59.00, NULL);

INSERT INTO products (sku, name, product_class, recall_notice) VALUES
  ('SKU-CMP-9930', 'Aurora Pro laptop',              'computer',   NULL),
  ('SKU-CMP-9412', 'Aurora Air laptop',              'computer',   NULL),
  ('SKU-AUD-3307', 'Corva Studio Headphones',        'audio',      NULL),
  ('SKU-AUD-3115', 'Corva Shelf speakers',           'audio',      NULL),
  ('SKU-CAM-2204', 'Lumen Pocket camera',            'camera',     NULL),
  ('SKU-CAM-2290', 'Lumen Field projector',          'projector',  NULL),
  ('SKU-TEL-7016', 'Halden Six phone',               'phone',      NULL),
  ('SKU-TEL-7042', 'Halden Mini phone',              'phone',      NULL),
  ('SKU-TVS-6550', 'Meridian sixty-five television', 'television', NULL),
  ('SKU-HOM-1180', 'Tern robot vacuum',              'home',       NULL),
  ('SKU-WEA-4021', 'Pace watch',                     'wearable',   NULL),
  ('SKU-POW-8803', 'Drift power bank',               'power',      'This power bank was recalled in May, because its cell can overheat while it charges.'),
  ('SKU-DRO-5120', 'Swift fold drone',               'drone',      NULL),
  ('SKU-APP-3340', 'Boreal washing machine',         'appliance',  NULL),
  ('SKU-POW-8826', 'Drift travel battery',           'power',      NULL),
  ('SKU-SFT-0904', 'Kestrel Photo licence',          'software',   NULL);

INSERT INTO sellers (seller_id, name) VALUES
  ('sel_northlight', 'Northlight Audio'),
  ('sel_harbour',    'Harbour Gadgets');

INSERT INTO orders
  (order_number, customer_id, sku, seller_id, price, placed_on, status, fulfilment, delivery_date, delivered_on) VALUES
  ('KE-4471860', 'cust_grace',   'SKU-CMP-9930', NULL,             1849.00, '2025-06-02', 'delivered',  'parcel',       '2025-06-05', '2025-06-05'),
  ('KE-4468315', 'cust_grace',   'SKU-TEL-7016', NULL,              699.00, '2025-05-19', 'delivered',  'parcel',       '2025-05-22', '2025-05-22'),
  ('KE-4479002', 'cust_tomas',   'SKU-AUD-3307', 'sel_northlight',  249.00, '2026-07-24', 'delivered',  'parcel',       '2026-07-27', '2026-07-27'),
  ('KE-4475518', 'cust_tomas',   'SKU-WEA-4021', NULL,              189.00, '2026-05-10', 'delivered',  'store_pickup', '2026-05-12', '2026-05-12'),
  ('KE-4502316', 'cust_dana',    'SKU-TVS-6550', NULL,             1199.00, '2026-07-26', 'processing', 'van',          '2026-08-04', NULL),
  ('KE-4490572', 'cust_samuel',  'SKU-CAM-2204', NULL,              299.00, '2026-07-16', 'delivered',  'parcel',       '2026-07-20', '2026-07-20'),
  ('KE-4483947', 'cust_samuel',  'SKU-AUD-3115', NULL,              159.00, '2026-03-02', 'delivered',  'store_pickup', '2026-03-04', '2026-03-04'),
  ('KE-4466029', 'cust_priya',   'SKU-CMP-9412', NULL,             1099.00, '2024-12-01', 'delivered',  'parcel',       '2024-12-05', '2024-12-05'),
  ('KE-4497361', 'cust_priya',   'SKU-DRO-5120', NULL,              749.00, '2026-06-20', 'delivered',  'parcel',       '2026-06-24', '2026-06-24'),
  ('KE-4481204', 'cust_walter',  'SKU-HOM-1180', NULL,              429.00, '2025-10-30', 'delivered',  'parcel',       '2025-11-03', '2025-11-03'),
  ('KE-4503850', 'cust_ines',    'SKU-TEL-7042', NULL,              449.00, '2026-07-28', 'shipped',    'parcel',       '2026-08-01', NULL),
  ('KE-4488736', 'cust_marcus',  'SKU-CAM-2290', NULL,              899.00, '2026-07-08', 'delivered',  'van',          '2026-07-13', '2026-07-13'),
  ('KE-4492048', 'cust_yusuf',   'SKU-POW-8803', NULL,               59.00, '2026-02-14', 'delivered',  'parcel',       '2026-02-17', '2026-02-17'),
  ('KE-4460983', 'cust_helen',   'SKU-TVS-6550', NULL,             1249.00, '2024-11-25', 'delivered',  'van',          '2024-12-02', '2024-12-02'),
  ('KE-4499127', 'cust_rosa',    'SKU-AUD-3307', 'sel_harbour',     259.00, '2026-06-11', 'delivered',  'parcel',       '2026-06-15', '2026-06-15'),
  ('KE-4501673', 'cust_peter',   'SKU-CMP-9412', NULL,             1149.00, '2026-07-25', 'delivered',  'parcel',       '2026-07-29', '2026-07-29'),
  ('KE-4504419', 'cust_abigail', 'SKU-TVS-6550', NULL,             1199.00, '2026-07-29', 'processing', 'van',          '2026-08-05', NULL),
  ('KE-4500284', 'cust_rosa',    'SKU-WEA-4021', NULL,              189.00, '2026-07-25', 'delivered',  'parcel',       '2026-07-29', '2026-07-29'),
  ('KE-4493166', 'cust_rosa',    'SKU-CAM-2290', NULL,              899.00, '2026-06-16', 'delivered',  'van',          '2026-06-21', '2026-06-21'),
  ('KE-4501948', 'cust_helen',   'SKU-APP-3340', NULL,              829.00, '2026-07-27', 'processing', 'van',          '2026-08-01', NULL),
  ('KE-4494402', 'cust_helen',   'SKU-WEA-4021', NULL,              189.00, '2026-07-17', 'delivered',  'parcel',       '2026-07-21', '2026-07-21'),
  ('KE-4498215', 'cust_walter',  'SKU-CAM-2204', NULL,              299.00, '2026-07-06', 'delivered',  'parcel',       '2026-07-10', '2026-07-10'),
  ('KE-4496713', 'cust_priya',   'SKU-TEL-7042', NULL,              449.00, '2026-07-07', 'delivered',  'parcel',       '2026-07-11', '2026-07-11'),
  ('KE-4478326', 'cust_marcus',  'SKU-CMP-9412', NULL,             1099.00, '2025-09-28', 'delivered',  'parcel',       '2025-10-02', '2025-10-02'),
  ('KE-4504702', 'cust_dana',    'SKU-TEL-7016', NULL,              699.00, '2026-07-30', 'processing', 'parcel',       '2026-08-03', NULL),
  ('KE-4502791', 'cust_owen',    'SKU-TVS-6550', NULL,             1199.00, '2026-07-26', 'processing', 'van',          '2026-08-05', NULL),
  ('KE-4500637', 'cust_owen',    'SKU-APP-3340', NULL,              829.00, '2026-07-24', 'processing', 'van',          '2026-08-02', NULL),
  ('KE-4487159', 'cust_owen',    'SKU-CMP-9412', NULL,             1099.00, '2026-03-06', 'delivered',  'parcel',       '2026-03-10', '2026-03-10'),
  ('KE-4499860', 'cust_nadia',   'SKU-DRO-5120', NULL,              749.00, '2026-07-15', 'delivered',  'parcel',       '2026-07-19', '2026-07-19'),
  ('KE-4497904', 'cust_nadia',   'SKU-POW-8826', NULL,               79.00, '2026-07-15', 'delivered',  'parcel',       '2026-07-19', '2026-07-19'),
  ('KE-4486631', 'cust_leah',    'SKU-HOM-1180', NULL,              429.00, '2026-01-12', 'delivered',  'parcel',       '2026-01-15', '2026-01-15'),
  ('KE-4503377', 'cust_elliot',  'SKU-CMP-9930', NULL,             1849.00, '2026-07-28', 'processing', 'parcel',       '2026-08-05', NULL),
  ('KE-4495280', 'cust_abigail', 'SKU-SFT-0904', NULL,               79.00, '2026-07-03', 'delivered',  'parcel',       '2026-07-03', '2026-07-03');

INSERT INTO delivery_days (fulfilment, day, free) VALUES
  ('van',    '2026-08-04', 3), ('van',    '2026-08-05', 0), ('van',    '2026-08-06', 4),
  ('van',    '2026-08-07', 2), ('van',    '2026-08-08', 0), ('van',    '2026-08-11', 6),
  ('van',    '2026-08-12', 6), ('van',    '2026-08-13', 5), ('van',    '2026-08-14', 5),
  ('parcel', '2026-08-03', 90), ('parcel', '2026-08-04', 90), ('parcel', '2026-08-05', 90),
  ('parcel', '2026-08-06', 90), ('parcel', '2026-08-07', 90), ('parcel', '2026-08-10', 90);

INSERT INTO return_windows (product_class, tier, days) VALUES
  ('any',      'basic', 15), ('any',      'plus', 30), ('any',      'pro', 60),
  ('phone',    'basic', 14), ('phone',    'plus', 14), ('phone',    'pro', 14),
  ('drone',    'basic', 15), ('drone',    'plus', 15), ('drone',    'pro', 30),
  ('software', 'basic',  0), ('software', 'plus',  0), ('software', 'pro',  0);

INSERT INTO restocking_fees (product_class, percent) VALUES
  ('camera', 15.0), ('drone', 15.0), ('projector', 15.0), ('phone', 10.0);

INSERT INTO fee_exempt_states (state) VALUES ('CO'), ('OH'), ('SC');

INSERT INTO returns
  (return_id, customer_id, order_number, reason_code, method, restocking_fee, refund_amount, status) VALUES
  ('RET-S201', 'cust_priya', 'KE-4497361', 'defective',    'mail',  0.00, 749.00, 'received'),
  ('RET-S202', 'cust_helen', 'KE-4494402', 'changed_mind', 'store', 0.00, 189.00, 'open');

INSERT INTO plan_types (plan_type, name, covers, excludes) VALUES
  ('complete', 'Complete Care', '*',                           'lost stolen theft scratch scratched scratches cosmetic'),
  ('screen',   'Screen Guard',  'screen display glass cracked', 'lost stolen theft');

INSERT INTO protection_plans (plan_id, customer_id, order_number, plan_type, starts_on, ends_on) VALUES
  ('PLN-3306', 'cust_grace',  'KE-4471860', 'complete', '2025-06-05', '2028-06-05'),
  ('PLN-3291', 'cust_grace',  'KE-4468315', 'screen',   '2025-05-22', '2027-05-22'),
  ('PLN-3180', 'cust_priya',  'KE-4466029', 'complete', '2024-12-05', '2026-12-05'),
  ('PLN-3244', 'cust_walter', 'KE-4481204', 'complete', '2025-11-03', '2027-11-03'),
  ('PLN-3102', 'cust_helen',  'KE-4460983', 'screen',   '2024-12-02', '2025-12-02');

INSERT INTO service_fees (service_type, fee) VALUES
  ('remote', 29.00), ('bench', 49.00), ('mail_in', 39.00), ('in_home', 99.00);

INSERT INTO service_slots (slot_id, service_type, store, starts_at) VALUES
  ('SLT-0101', 'bench',   'Cedar Hills',   '2026-08-01T09:00'),
  ('SLT-0102', 'bench',   'Cedar Hills',   '2026-08-01T14:00'),
  ('SLT-0103', 'bench',   'Cedar Hills',   '2026-08-03T10:00'),
  ('SLT-0104', 'bench',   'Cedar Hills',   '2026-08-03T15:00'),
  ('SLT-0105', 'bench',   'Cedar Hills',   '2026-08-05T11:00'),
  ('SLT-0106', 'bench',   'Cedar Hills',   '2026-08-07T13:00'),
  ('SLT-0201', 'bench',   'Mission Bay',   '2026-08-01T10:00'),
  ('SLT-0202', 'bench',   'Mission Bay',   '2026-08-04T16:00'),
  ('SLT-0301', 'bench',   'Lincoln Yards', '2026-08-04T09:00'),
  ('SLT-0302', 'bench',   'Lincoln Yards', '2026-08-06T14:00'),
  ('SLT-0401', 'bench',   'Green Lake',    '2026-08-03T12:00'),
  ('SLT-0402', 'bench',   'Green Lake',    '2026-08-05T12:00'),
  ('SLT-0501', 'bench',   'Short North',   '2026-08-04T11:00'),
  ('SLT-0601', 'bench',   'Highlands',     '2026-08-03T16:00'),
  ('SLT-0701', 'bench',   'Uptown',        '2026-08-05T10:00'),
  ('SLT-0801', 'remote',  'any',           '2026-08-01T08:00'),
  ('SLT-0802', 'remote',  'any',           '2026-08-01T12:00'),
  ('SLT-0803', 'remote',  'any',           '2026-08-03T17:00'),
  ('SLT-0811', 'mail_in', 'any',           '2026-08-03T12:00'),
  ('SLT-0812', 'mail_in', 'any',           '2026-08-04T12:00'),
  ('SLT-0821', 'in_home', 'any',           '2026-08-06T09:00'),
  ('SLT-0822', 'in_home', 'any',           '2026-08-07T13:00');

INSERT INTO service_appointments
  (appointment_id, customer_id, order_number, service_type, issue, slot_id, fee, status) VALUES
  ('APT-S301', 'cust_walter', 'KE-4481204', 'bench',   'The brush motor stops after a minute.', 'SLT-0101', 0.00, 'booked'),
  ('APT-S302', 'cust_helen',  'KE-4460983', 'bench',   'No picture on the second input.',        'SLT-0102', 49.00, 'booked'),
  ('APT-S303', 'cust_priya',  'KE-4466029', 'remote',  'The camera is missing after an update.', 'SLT-0801', 0.00, 'booked'),
  ('APT-S304', 'cust_samuel', 'KE-4483947', 'mail_in', 'One speaker hums.',                      'SLT-0811', 0.00, 'done');

INSERT INTO account_holds (hold_id, customer_id, order_number, reason_code, status) VALUES
  ('HLD-S401', 'cust_ines',   NULL, 'lost_phone',         'released'),
  ('HLD-S402', 'cust_elliot', NULL, 'suspicious_contact', 'active');

INSERT INTO contact_preferences (customer_id, channel, allowed) VALUES
  ('cust_dana',  'phone', 1), ('cust_dana',  'text', 1), ('cust_dana',  'email', 1),
  ('cust_peter', 'phone', 0), ('cust_peter', 'text', 0), ('cust_peter', 'email', 1);

INSERT INTO data_requests (request_id, customer_id, kind) VALUES
  ('DAT-S601', 'cust_walter', 'copy');

INSERT INTO escalations (escalation_id, customer_id, reason_code, summary) VALUES
  ('ESC-S501', 'cust_rosa', 'complaint', 'The van came on the wrong day and nobody called.');
