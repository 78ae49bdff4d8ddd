import { expect, it } from 'vitest';
import { checkText } from '../../web/pages/manifests/check-text.ts';
import { TEMPLATES } from '../../web/pages/manifests/templates.ts';

it.each(TEMPLATES)('the template "$id" is a manifest without problems', ({ text }) => {
  const { problems, plan } = checkText(text);
  expect(problems).toEqual([]);
  expect(plan?.waves.flat().length).toBeGreaterThan(1);
});

it('streams that write the same file are moved behind each other, and it says why', () => {
  const text = TEMPLATES[1]!.text.replace('owns: [src/invoices/]', 'owns: [src/orders/a.ts]');
  const { plan } = checkText(text);
  expect(plan?.waves.map((wave) => wave.map(({ id }) => id))).toEqual([
    ['adapter'],
    ['orders'],
    ['invoices'],
    ['clean-up'],
  ]);
  const moved = plan!.waves[2]![0]!;
  expect(moved.isMoved).toBe(true);
  expect(moved.why).toContain('orders');
});
