import { expect, it } from 'vitest';
import { localLaunchOf } from '../../src/app/launch.ts';

const LOCAL = {
  host: '127.0.0.1',
  publicUrl: undefined,
  trustedProxies: [],
  databaseUrl: undefined,
  dataDir: '/srv/data',
};

it('a reader at the machine of the server is shown commands with its paths, nobody else', () => {
  expect(localLaunchOf(LOCAL)).toMatchObject({ flags: ['--data-dir', '/srv/data'] });
  for (const elsewhere of [
    { host: '0.0.0.0' },
    { publicUrl: 'https://millrace.example.com' },
    { trustedProxies: ['127.0.0.1'] },
  ]) {
    expect(localLaunchOf({ ...LOCAL, ...elsewhere }), JSON.stringify(elsewhere)).toBeUndefined();
  }
});
