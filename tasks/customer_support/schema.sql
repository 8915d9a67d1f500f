-- Kestrel Electronics, telephone desk. Every basket is split into one order number an item.

CREATE TABLE customers (
  customer_id TEXT PRIMARY KEY,
  full_name   TEXT NOT NULL,
  phone       TEXT NOT NULL UNIQUE,
  postal_code TEXT NOT NULL,
  state       TEXT NOT NULL,
  card_last4  TEXT NOT NULL,
  home_store  TEXT NOT NULL
);

CREATE TABLE memberships (
  customer_id  TEXT PRIMARY KEY REFERENCES customers,
  tier         TEXT NOT NULL CHECK (tier IN ('basic', 'plus', 'pro')),
  member_since TEXT NOT NULL,
  renews_on    TEXT,
  auto_renew   INTEGER NOT NULL CHECK (auto_renew IN (0, 1))
);

CREATE TABLE tiers (
  tier         TEXT PRIMARY KEY,
  annual_price REAL NOT NULL
);

-- A year's fee as it was charged, and when a benefit of that year was first used.
CREATE TABLE membership_charges (
  customer_id     TEXT NOT NULL REFERENCES customers,
  charged_on      TEXT NOT NULL,
  amount          REAL NOT NULL,
  benefit_used_on TEXT,
  PRIMARY KEY (customer_id, charged_on)
);

CREATE TABLE products (
  sku           TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  product_class TEXT NOT NULL,
  recall_notice TEXT
);

CREATE TABLE sellers (
  seller_id TEXT PRIMARY KEY,
  name      TEXT NOT NULL
);

CREATE TABLE orders (
  order_number  TEXT PRIMARY KEY,
  customer_id   TEXT NOT NULL REFERENCES customers,
  sku           TEXT NOT NULL REFERENCES products,
  seller_id     TEXT REFERENCES sellers,
  price         REAL NOT NULL,
  placed_on     TEXT NOT NULL,
  status        TEXT NOT NULL CHECK (status IN ('processing', 'shipped', 'delivered', 'cancelled')),
  fulfilment    TEXT NOT NULL CHECK (fulfilment IN ('parcel', 'van', 'store_pickup')),
  delivery_date TEXT NOT NULL,
  delivered_on  TEXT
);

CREATE TABLE delivery_days (
  fulfilment TEXT NOT NULL,
  day        TEXT NOT NULL,
  free       INTEGER NOT NULL,
  PRIMARY KEY (fulfilment, day)
);

-- How many days after delivery an item may come back, by product class ('any' where no class is named) and tier.
CREATE TABLE return_windows (
  product_class TEXT NOT NULL,
  tier          TEXT NOT NULL,
  days          INTEGER NOT NULL,
  PRIMARY KEY (product_class, tier)
);

CREATE TABLE restocking_fees (
  product_class TEXT PRIMARY KEY,
  percent       REAL NOT NULL
);

CREATE TABLE fee_exempt_states (
  state TEXT PRIMARY KEY
);

CREATE TABLE returns (
  return_id      TEXT PRIMARY KEY,
  customer_id    TEXT NOT NULL REFERENCES customers,
  order_number   TEXT NOT NULL REFERENCES orders,
  reason_code    TEXT NOT NULL,
  method         TEXT NOT NULL CHECK (method IN ('store', 'mail')),
  restocking_fee REAL NOT NULL,
  refund_amount  REAL NOT NULL,
  status         TEXT NOT NULL
);

-- covers and excludes: words of a described fault, separated by spaces; covers '*' is any fault.
CREATE TABLE plan_types (
  plan_type TEXT PRIMARY KEY,
  name      TEXT NOT NULL,
  covers    TEXT NOT NULL,
  excludes  TEXT NOT NULL
);

CREATE TABLE protection_plans (
  plan_id      TEXT PRIMARY KEY,
  customer_id  TEXT NOT NULL REFERENCES customers,
  order_number TEXT NOT NULL REFERENCES orders,
  plan_type    TEXT NOT NULL REFERENCES plan_types,
  starts_on    TEXT NOT NULL,
  ends_on      TEXT NOT NULL
);

CREATE TABLE service_fees (
  service_type TEXT PRIMARY KEY,
  fee          REAL NOT NULL
);

CREATE TABLE service_slots (
  slot_id      TEXT PRIMARY KEY,
  service_type TEXT NOT NULL REFERENCES service_fees,
  store        TEXT NOT NULL,
  starts_at    TEXT NOT NULL
);

CREATE TABLE service_appointments (
  appointment_id TEXT PRIMARY KEY,
  customer_id    TEXT NOT NULL REFERENCES customers,
  order_number   TEXT NOT NULL REFERENCES orders,
  service_type   TEXT NOT NULL REFERENCES service_fees,
  issue          TEXT NOT NULL,
  slot_id        TEXT NOT NULL REFERENCES service_slots,
  fee            REAL NOT NULL,
  status         TEXT NOT NULL CHECK (status IN ('booked', 'cancelled', 'done'))
);

CREATE TABLE account_holds (
  hold_id      TEXT PRIMARY KEY,
  customer_id  TEXT NOT NULL REFERENCES customers,
  order_number TEXT,
  reason_code  TEXT NOT NULL,
  status       TEXT NOT NULL
);

CREATE TABLE escalations (
  escalation_id TEXT PRIMARY KEY,
  customer_id   TEXT,
  reason_code   TEXT NOT NULL,
  summary       TEXT NOT NULL
);

-- What the customer is charged on top, or credited (negative).
CREATE TABLE adjustments (
  adjustment_id TEXT PRIMARY KEY,
  customer_id   TEXT NOT NULL REFERENCES customers,
  order_number  TEXT,
  kind          TEXT NOT NULL CHECK (kind IN
    ('late_delivery_change', 'price_match', 'late_reschedule', 'tier_change', 'renewal_refund')),
  amount        REAL NOT NULL
);

CREATE TABLE delivery_instructions (
  order_number TEXT PRIMARY KEY REFERENCES orders,
  instruction  TEXT NOT NULL CHECK (instruction IN ('leave_at_door', 'neighbour', 'ring_bell', 'signature'))
);

CREATE TABLE delivery_claims (
  claim_id     TEXT PRIMARY KEY,
  customer_id  TEXT NOT NULL REFERENCES customers,
  order_number TEXT NOT NULL REFERENCES orders,
  status       TEXT NOT NULL
);

CREATE TABLE order_disputes (
  dispute_id   TEXT PRIMARY KEY,
  customer_id  TEXT NOT NULL REFERENCES customers,
  order_number TEXT NOT NULL REFERENCES orders,
  status       TEXT NOT NULL
);

CREATE TABLE scam_reports (
  report_id   TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES customers,
  channel     TEXT NOT NULL,
  asked_for   TEXT NOT NULL,
  gave_away   INTEGER NOT NULL
);

CREATE TABLE sign_outs (
  sign_out_id TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES customers
);

CREATE TABLE safety_reports (
  report_id   TEXT PRIMARY KEY,
  customer_id TEXT,
  hazard      TEXT NOT NULL
);

CREATE TABLE recall_claims (
  claim_id     TEXT PRIMARY KEY,
  customer_id  TEXT NOT NULL REFERENCES customers,
  order_number TEXT NOT NULL REFERENCES orders,
  remedy       TEXT NOT NULL CHECK (remedy IN ('refund', 'replacement'))
);

CREATE TABLE contact_preferences (
  customer_id TEXT NOT NULL REFERENCES customers,
  channel     TEXT NOT NULL,
  allowed     INTEGER NOT NULL,
  PRIMARY KEY (customer_id, channel)
);

CREATE TABLE data_requests (
  request_id  TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES customers,
  kind        TEXT NOT NULL CHECK (kind IN ('copy', 'deletion', 'correction'))
);

CREATE TABLE disclosures (
  disclosure_id TEXT PRIMARY KEY,
  kind          TEXT NOT NULL
);

CREATE TABLE recording_stops (
  stop_id   TEXT PRIMARY KEY,
  wanted_by TEXT NOT NULL
);

CREATE TABLE refusals (
  refusal_id   TEXT PRIMARY KEY,
  customer_id  TEXT,
  order_number TEXT,
  reason_code  TEXT NOT NULL
);
