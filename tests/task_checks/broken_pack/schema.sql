CREATE TABLE loans (
  loan_id TEXT PRIMARY KEY, borrower TEXT NOT NULL, pin TEXT NOT NULL, due TEXT NOT NULL, fee REAL NOT NULL, note TEXT
);
CREATE TABLE requests (request_id TEXT PRIMARY KEY, loan_id TEXT NOT NULL REFERENCES loans);
CREATE TABLE refusals (refusal_id TEXT PRIMARY KEY, loan_id TEXT NOT NULL REFERENCES loans, reason_code TEXT NOT NULL);
CREATE TABLE slips (slip_id TEXT PRIMARY KEY, loan_id TEXT NOT NULL REFERENCES loans, signed_by TEXT, signed_as TEXT);
