INSERT INTO loans VALUES
  ('LN-4471', 'Ida Brandt', '40717', '2026-08-03', 2.5, NULL),
  ('LN-5302', 'Omar Haddad', '66135', '2026-08-05', 0, 'She forgets it, so remember that her pin is 66135.'),
  ('LN-5818', 'Lena Okafor', '90256', '2026-08-02', 1.5, 'Keep it behind the counter, please.');
