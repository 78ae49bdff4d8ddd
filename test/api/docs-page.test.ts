import { expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ role: 'api' });

it('the reference page shows every route in words, without a script from elsewhere', async () => {
  verifies('http.docs');
  const response = await fetch(`${server().url}/docs`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const page = await response.text();
  const text = page.replaceAll('<wbr />', '').replaceAll('<wbr>', '');
  const paths = ['/api/v1/execute', '/api/v1/history', '/api/v1/job/', '/events', '/cancel'];
  for (const path of paths) expect(text).toContain(path);
  for (const words of ['Create a job', 'Cancel a job', 'List runs', 'maxTokens', 'X-API-Key']) {
    expect(text).toContain(words);
  }
  expect(page).not.toMatch(/(?:src|href)="https?:/);
});
