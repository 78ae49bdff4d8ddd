import { rules } from './rules.ts';

export const HISTORY_RULES = [
  ...rules('interface 2.3', 'history', {
    'history.summary.fields':
      'A list item has id, feature, status, streamCount, waveCount, durationMs, startedAt and totalCostUsd.',
    'history.summary.started-at': 'startedAt is an ISO 8601 time in UTC.',
    'history.detail.run-fields':
      'The run of a detail answer has id, feature, status, streamCount, waveCount, durationMs and startedAt.',
  }),
  ...rules('interface 2.4', 'history', {
    'history.stream.fields':
      'A stream record has streamId, name, status, waveNumber, filesChanged, tokensInput and tokensOutput.',
  }),
  ...rules('interface 4.1', 'history', {
    'history.list.route': 'GET /api/v1/history answers {items, total, offset, limit}.',
    'history.list.offset': 'offset is 0 when left out and skips that many runs.',
    'history.list.limit': 'limit is 10 when left out and at most 100.',
    'history.list.organization': 'organizationId narrows the list to one organization.',
    'history.detail.route': 'GET /api/v1/history/:id answers {run, streams}.',
  }),
  ...rules('interface 5', 'history', {
    'history.list.own': 'The list holds the runs of the caller and of nobody else.',
  }),
  ...rules('decisions 2', 'history', {
    'history.list.limit-strict': 'A limit outside 1 to 100 is 400 and never clamped.',
  }),
  ...rules('decisions 4', 'history', {
    'history.cost.unknown':
      'totalCostUsd sums the known prices, and unpricedCalls counts the calls without one.',
    'history.run.grouped': 'All jobs with one runId form one run.',
    'history.run.single':
      'A job without runId is a run of one stream and one wave whose feature is its streamId.',
    'history.put': 'PUT /api/v1/history/:id {run, streams} stores a run the client orchestrated.',
    'history.put.idempotent': 'The same PUT twice leaves the same run.',
    'history.put.foreign': "A PUT on someone else's run is 403.",
    'history.run.status-values':
      'A run is pending, in_progress, paused, complete, failed or cancelled.',
    'history.run.totals': 'Cost and tokens of a run are the sums over its stream records.',
    'history.list.status': 'The list takes a status filter.',
    'history.list.feature': 'The list takes a feature filter that matches a part of the name.',
    'history.list.period': 'The list takes since and until.',
    'history.stream.status-values':
      'Stream records use pending, in_progress, complete, failed, skipped and blocked.',
  }),
  ...rules('decisions 4', 'executions', {
    'history.run.execution': 'Every execution enters the history as a run.',
  }),
];
