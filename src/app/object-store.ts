// The object store that the settings name, tried once before anything relies on it.
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/config.ts';
import { newId } from '../platform/ids.ts';
import type { Logger, Scrubber } from '../platform/log.ts';
import { ObjectStoreError } from '../platform/object-store.ts';
import type { ObjectStore } from '../platform/object-store.ts';
import type { TextStore } from '../store/jobs/archived-texts.ts';

async function probe(objects: ObjectStore, log: Logger): Promise<void> {
  const key = `probes/${newId('probe')}`;
  try {
    await objects.put(key, Buffer.from('millrace'));
    if ((await objects.get(key))?.toString() !== 'millrace') {
      throw new ObjectStoreError('refused', 'The object store returned something else.');
    }
    await objects.delete(key);
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error;
    if (error.kind === 'refused') {
      throw new ConfigError([
        `${error.message} Check MILLRACE_OBJECT_STORE_BUCKET, _REGION, _ACCESS_KEY_ID and ` +
          '_SECRET_ACCESS_KEY; the key needs the right to put, get and delete objects.',
      ]);
    }
    // Jobs run without it; only texts that are there cannot be read meanwhile.
    log.warn({ err: error }, 'the object store cannot be reached; starting without it');
  }
}

export async function openTextStore(
  config: Config,
  { log, scrubber }: { log: Logger; scrubber: Scrubber },
): Promise<TextStore | undefined> {
  const { objectStoreUrl: url, objectStoreBucket: bucket } = config;
  const { objectStoreKeyId: accessKeyId, objectStoreSecret: secretAccessKey } = config;
  // The settings allow all of them or none.
  if (!url || !bucket || !accessKeyId || !secretAccessKey) return undefined;
  scrubber.add(secretAccessKey);
  // Loaded where it is used.
  const { createS3Store } = await import('../platform/s3-store.ts');
  const region = config.objectStoreRegion;
  const objects = createS3Store({ url, bucket, region, accessKeyId, secretAccessKey });
  await probe(objects, log);
  return { objects, leastBytes: config.objectStoreLeastKb * 1024 };
}
