import { createCipheriv, createDecipheriv, randomBytes, randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SealError, masterKeyIdOf, open, rewrap, seal } from '../../src/platform/envelope.ts';
import type { MasterKey, MasterKeys } from '../../src/platform/envelope.ts';
import { verifies } from '../support/verifies.ts';

const SECRET = 'sk-ant-api03-the-secret-itself';
const BINDING = ['provider-key', 'usr_1', 'anthropic'];

const key = (id: string): MasterKey => ({ id, key: randomBytes(32) });

function ringOf(...keys: MasterKey[]): MasterKeys {
  return { active: () => keys[0]!, find: (id) => keys.find((one) => one.id === id) };
}

const old = key('old');
const fresh = key('fresh');
const ring = ringOf(old);

describe('a sealed secret', () => {
  it('opens with its master key for what it belongs to, and hides what it holds', () => {
    verifies('provider-keys.encrypted', 'provider-keys.envelope');
    const sealed = seal(ring, SECRET, BINDING);
    expect(open(ring, sealed, BINDING)).toBe(SECRET);
    expect(sealed).toMatch(/^v1\.old\.[\w-]+\.[\w-]+$/);
    expect(masterKeyIdOf(sealed)).toBe('old');
    const [, , wrapped = '', body = ''] = sealed.split('.');
    for (const bytes of [wrapped, body].map((part) => Buffer.from(part, 'base64url'))) {
      expect(bytes.includes(SECRET)).toBe(false);
      expect(bytes.includes(old.key)).toBe(false);
    }
  });

  it('keeps any text', () => {
    for (const text of ['', 'é💥\0', 'x'.repeat(5000)]) {
      expect(open(ring, seal(ring, text, BINDING), BINDING)).toBe(text);
    }
  });

  it('is AES-256-GCM twice, with a data key of its own', () => {
    verifies('provider-keys.encrypted', 'provider-keys.envelope');
    const read = (sealed: string) => {
      const [, , wrapped = '', body = ''] = sealed.split('.');
      const frame = (parts: string[]) =>
        Buffer.concat(
          parts.map((part) => {
            const bytes = Buffer.from(part);
            const length = Buffer.alloc(4);
            length.writeUInt32BE(bytes.length);
            return Buffer.concat([length, bytes]);
          }),
        );
      const decrypt = (master: Buffer, text: string, bound: Buffer) => {
        const bytes = Buffer.from(text, 'base64url');
        const decipher = createDecipheriv('aes-256-gcm', master, bytes.subarray(0, 12), {
          authTagLength: 16,
        });
        decipher.setAAD(bound).setAuthTag(bytes.subarray(-16));
        return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
      };
      const dataKey = decrypt(old.key, wrapped, frame(['wrap', 'old', ...BINDING]));
      return { dataKey, text: decrypt(dataKey, body, frame(['body', ...BINDING])).toString() };
    };
    const [one, two] = [read(seal(ring, SECRET, BINDING)), read(seal(ring, SECRET, BINDING))];
    expect([one.text, two.text]).toEqual([SECRET, SECRET]);
    expect(one.dataKey).toHaveLength(32);
    expect(one.dataKey.equals(two.dataKey)).toBe(false);
  });

  it('does not open for another owner, another provider or another kind', () => {
    verifies('provider-keys.bound');
    const sealed = seal(ring, SECRET, BINDING);
    const others = [
      ['provider-key', 'usr_2', 'anthropic'],
      ['provider-key', 'usr_1', 'openai'],
      ['job-key', 'usr_1', 'anthropic'],
      ['provider-key', 'usr_1'],
      ['provider-key', 'usr_1', 'anthropic', ''],
      // The same characters, split elsewhere.
      ['provider-key', 'usr_1a', 'nthropic'],
      [],
    ];
    for (const binding of others) {
      expect(() => open(ring, sealed, binding), binding.join()).toThrow(SealError);
      expect(() => rewrap(ringOf(fresh, old), sealed, binding), binding.join()).toThrow(SealError);
    }
  });

  it('is refused after any change of a single bit of its text', () => {
    const sealed = seal(ring, SECRET, BINDING);
    const bytes = Buffer.from(sealed, 'latin1');
    const accepted: string[] = [];
    for (let i = 0; i < 500; i++) {
      const changed = Buffer.from(bytes);
      const at = randomInt(bytes.length);
      changed[at] = changed[at]! ^ (1 << randomInt(8));
      try {
        open(ring, changed.toString('latin1'), BINDING);
        accepted.push(changed.toString('latin1'));
      } catch (error) {
        expect(error).toBeInstanceOf(SealError);
        expect(String(error)).not.toContain(SECRET);
      }
    }
    expect(accepted).toEqual([]);
  });

  it('is refused after any change of a single bit of its bytes', () => {
    const [version, id, wrapped = '', body = ''] = seal(ring, SECRET, BINDING).split('.');
    const parts = [wrapped, body].map((part) => Buffer.from(part, 'base64url'));
    parts.forEach((part, index) => {
      for (let bit = 0; bit < part.length * 8; bit++) {
        const changed = Buffer.from(part);
        changed[bit >> 3] = changed[bit >> 3]! ^ (1 << (bit & 7));
        const texts = parts.map((one, n) => (n === index ? changed : one).toString('base64url'));
        const sealed = [version, id, ...texts].join('.');
        expect(() => open(ring, sealed, BINDING), `${index}:${bit}`).toThrow(SealError);
      }
    });
  });

  it('is refused with a tag that was cut, even one that fits', () => {
    const dataKey = randomBytes(32);
    const forge = (tagBytes: number) => {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', dataKey, iv, { authTagLength: tagBytes });
      return Buffer.concat([iv, cipher.update('x'), cipher.final(), cipher.getAuthTag()]);
    };
    const [version, id, wrapped, body = ''] = seal(ring, SECRET, BINDING).split('.');
    for (let cut = 1; cut <= 16; cut++) {
      const short = Buffer.from(body, 'base64url').subarray(0, -cut).toString('base64url');
      const sealed = [version, id, wrapped, short].join('.');
      expect(() => open(ring, sealed, BINDING)).toThrow(SealError);
    }
    const small = [version, id, wrapped, forge(4).toString('base64url')].join('.');
    expect(() => open(ring, small, BINDING)).toThrow(/cut short/);
  });

  it.each(['', 'v1', 'v1...', 'v2.old.a.b', 'v1.old.a.b.c', 'v1.old.!.b', 'v1.old.QQ.QQ'])(
    'of the form "%s" is refused',
    (sealed) => {
      expect(() => open(ring, sealed, BINDING)).toThrow(SealError);
    },
  );

  it('names the master key that is missing', () => {
    const sealed = seal(ring, SECRET, BINDING);
    expect(() => open(ringOf(fresh), sealed, BINDING)).toThrow(/"old"/);
  });

  it('does not open with a wrong key of the right name', () => {
    const sealed = seal(ring, SECRET, BINDING);
    expect(() => open(ringOf(key('old')), sealed, BINDING)).toThrow(SealError);
  });
});

describe('wrapping again', () => {
  it('moves a secret under the active key and leaves its body as it is', () => {
    verifies('provider-keys.envelope', 'provider-keys.rotate');
    const sealed = seal(ring, SECRET, BINDING);
    const moved = rewrap(ringOf(fresh, old), sealed, BINDING);
    expect(masterKeyIdOf(moved)).toBe('fresh');
    expect(moved.split('.')[3]).toBe(sealed.split('.')[3]);
    expect(open(ringOf(fresh), moved, BINDING)).toBe(SECRET);
    expect(() => open(ringOf(old), moved, BINDING)).toThrow(SealError);
  });

  it('changes nothing under the active key already', () => {
    const sealed = seal(ring, SECRET, BINDING);
    expect(rewrap(ring, sealed, BINDING)).toBe(sealed);
  });

  it('cannot be faked by writing another id into the text', () => {
    const sealed = seal(ring, SECRET, BINDING).replace('.old.', '.fresh.');
    const same = ringOf({ id: 'fresh', key: old.key });
    expect(() => open(same, sealed, BINDING)).toThrow(SealError);
  });
});
