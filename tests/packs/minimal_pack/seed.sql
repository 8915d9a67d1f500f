INSERT INTO loans VALUES ('LN-4471', 'Ida Brandt', '2026-08-03', 0), ('LN-4472', 'Omar Haddad', '2026-08-05', 2.5);
INSERT INTO branches VALUES ('North');
