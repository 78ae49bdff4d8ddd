// Settings whose values are secrets, or hold one: their names may be shown, their values never.
const SECRET_SETTINGS = /^database.*Url$|ApiKey$|^masterKey$|^smtpUrl$|^stripeKey$|Secret$/;

export function isSecretSetting(name: string): boolean {
  return SECRET_SETTINGS.test(name);
}
