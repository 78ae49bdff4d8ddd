import { call } from '../api/client.ts';

export async function signOut(): Promise<void> {
  await call('POST', '/api/v1/auth/logout');
  location.assign('/login');
}
