// Bodies for the routes of accounts, keys and teams, from fitting to odd.
import fc from 'fast-check';

const LINK = `mill_ln_${'a'.repeat(43)}`;

export function accountBody(oddValue: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> {
  const either = (...fitting: readonly unknown[]) =>
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...fitting) }, oddValue);
  return fc
    .record({
      email: either('a@example.com', 'A@EXAMPLE.COM', '@', 'a@b\0'),
      password: either('x', 'tulpe wagen regen 42', '\0', 'x'.repeat(1025)),
      currentPassword: either('x'),
      newPassword: either('tulpe wagen regen 43'),
      token: either(LINK, ''),
      name: either('ours', '', '\n', 'x'.repeat(101)),
      scopes: either(['jobs'], [], ['x'], ['admin', 'admin']),
      expiresInDays: either(1, 0, 1e9),
      gracePeriodHours: either(0, 168, 169),
      teamId: either('team_01jcq8z5e0e5v8r3m6k1t2w9xh', null),
      userId: either('user_01jcq8z5e0e5v8r3m6k1t2w9xh'),
      role: either('owner', 'admin', 'member', 'viewer', 'god'),
      settings: either({}, { defaultModel: null }, { defaultModel: 'sim-instant' }),
    })
    .chain((all) =>
      fc.subarray(Object.keys(all), { minLength: 4 }).map((names) => {
        const chosen = names.map((name) => [name, all[name as keyof typeof all]]);
        return Buffer.from(JSON.stringify(Object.fromEntries(chosen)));
      }),
    );
}
