// Schedules: runs that the service asks runners for at certain times.
import type {
  NewSchedule,
  Schedule,
  ScheduleChange,
  ScheduleFiring,
} from '../contract/schedule-api.ts';
import { part } from './calls.ts';
import type { CallOptions, Calls } from './calls.ts';

export interface SchedulesApi {
  create(body: NewSchedule, options?: CallOptions): Promise<Schedule>;
  list(options?: CallOptions): Promise<{ items: Schedule[] }>;
  get(id: string, options?: CallOptions): Promise<Schedule>;
  update(id: string, body: ScheduleChange, options?: CallOptions): Promise<Schedule>;
  remove(id: string, options?: CallOptions): Promise<{ deleted: true; id: string }>;
  /** Once, as the caller. */
  runNow(id: string, options?: CallOptions): Promise<ScheduleFiring>;
  /** Newest first. */
  firings(
    id: string,
    page?: { limit?: number },
    options?: CallOptions,
  ): Promise<{ items: ScheduleFiring[] }>;
}

export function schedulesApi({ get, send }: Calls): SchedulesApi {
  const at = (id: string, rest = '') => `/v1/schedules/${part(id)}${rest}`;
  return {
    create: (body, options) => send('POST', '/v1/schedules', options, body),
    list: (options) => get('/v1/schedules', options),
    get: (id, options) => get(at(id), options),
    update: (id, body, options) => send('PATCH', at(id), options, body),
    remove: (id, options) => send('DELETE', at(id), options),
    runNow: (id, options) => send('POST', at(id, '/run-now'), options),
    firings: (id, page, options) => get(at(id, '/firings'), options, page),
  };
}
