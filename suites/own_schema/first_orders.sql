-- The orders that every shop begins with: rows may come from a script as well.
INSERT INTO orders (id, customer_id, state, total, placed) VALUES
  (1, 1, 'paid', 25.00, '2024-01-02 10:00:00'),
  (2, 2, 'sent', 12.50, '2024-01-02 11:30:00'),
  (3, 1, 'new', 99.90, '2024-01-03 09:15:00');
INSERT INTO order_lines (order_id, line, article_id, quantity) VALUES
  (1, 1, 17, 1), (1, 2, 42, 2), (2, 1, 5, 1), (3, 1, 101, 3);
