// The settings of where ended work is kept: part of the table in settings.ts.
import { z } from 'zod';
import { count, httpUrl } from './setting-values.ts';
import { LEAST_ARCHIVE_HOURS } from '../domain/job/archive-age.ts';

const NEEDED = 'Needed with MILLRACE_OBJECT_STORE_URL.';

export const STORAGE_SETTINGS = {
  archiveAfterHours: {
    env: 'MILLRACE_ARCHIVE_AFTER_HOURS',
    default: '24',
    description:
      'Hours after which ended jobs move from the table of current jobs to the archive, which has one partition a month. Callers see no difference. At least 2; 0 leaves them where they are.',
    schema: count(0, 8760).refine((hours) => hours === 0 || hours >= LEAST_ARCHIVE_HOURS, {
      message: `must be 0, or at least ${LEAST_ARCHIVE_HOURS}`,
    }),
  },
  objectStoreUrl: {
    env: 'MILLRACE_OBJECT_STORE_URL',
    unset: 'none (texts stay in the database)',
    description:
      'Address of an S3-compatible object store for the large texts of archived jobs, without the bucket: `https://s3.eu-central-1.amazonaws.com`. See [self-hosting](self-hosting.md#large-texts-in-an-object-store).',
    schema: httpUrl,
  },
  objectStoreBucket: {
    env: 'MILLRACE_OBJECT_STORE_BUCKET',
    unset: 'none',
    description: `Bucket for them. ${NEEDED}`,
    schema: z.string().min(1),
  },
  objectStoreRegion: {
    env: 'MILLRACE_OBJECT_STORE_REGION',
    default: 'us-east-1',
    description: 'Region of the bucket.',
    schema: z.string().min(1),
  },
  objectStoreKeyId: {
    env: 'MILLRACE_OBJECT_STORE_ACCESS_KEY_ID',
    unset: 'none',
    description: `Access key id. ${NEEDED}`,
    schema: z.string().min(1),
  },
  objectStoreSecret: {
    env: 'MILLRACE_OBJECT_STORE_SECRET_ACCESS_KEY',
    unset: 'none',
    description: `Secret access key. ${NEEDED}`,
    schema: z.string().min(1),
  },
  objectStoreLeastKb: {
    env: 'MILLRACE_OBJECT_STORE_LEAST_KB',
    default: '64',
    description:
      'KiB of text (prompt, output and artifact together) from which on those of a job go to the object store.',
    schema: count(1, 1_000_000),
  },
} as const;

const PARTNERS = [
  'objectStoreUrl',
  'objectStoreBucket',
  'objectStoreKeyId',
  'objectStoreSecret',
] as const;

/** One of them makes no sense without the others. */
export function missingStorage(
  values: Partial<Record<keyof typeof STORAGE_SETTINGS, unknown>>,
): string[] {
  const set = PARTNERS.filter((name) => values[name] !== undefined);
  if (set.length === 0) return [];
  return PARTNERS.filter((name) => values[name] === undefined).map(
    (name) => `${STORAGE_SETTINGS[set[0]!].env} needs ${STORAGE_SETTINGS[name].env}`,
  );
}
