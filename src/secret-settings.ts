// Settings whose values are secrets, or hold one: their names may be shown, their values never.
import { STRIPE_SECRETS } from './app/stripe-settings.ts';

const SECRET_SETTINGS = /^database.*Url$|ApiKey$|^masterKey$|^smtpUrl$|Secret$/;

export function isSecretSetting(name: string): boolean {
  return SECRET_SETTINGS.test(name) || STRIPE_SECRETS.has(name);
}
