/** What the embedded database runs with; everything else is PostgreSQL's default, fsync included. */
export const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  cluster_name: 'millrace',
  max_connections: '100',
  shared_buffers: '128MB',
  wal_compression: 'pglz',
  random_page_cost: '1.1',
  idle_in_transaction_session_timeout: '60s',
  // Queries are short; starting workers or a compiler for one costs more than it saves, and
  // workers' shared memory runs out in containers with a small /dev/shm.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  // Job rows are updated a few times and then deleted: dead rows pile up faster than the defaults,
  // made for tables that grow, would clear them away.
  autovacuum_naptime: '15s',
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_analyze_scale_factor: '0.05',
  autovacuum_vacuum_cost_limit: '1000',
  // So often, and with this many columns, statistics of the usual detail take 8% of a core.
  default_statistics_target: '30',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
};
