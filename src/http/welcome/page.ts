// The pages for people. What is secret in a link stays in the browser until it is sent to the API in a body.
import { DEVICE_SCRIPT } from './device-script.ts';
import { LOGIN_SCRIPT } from './login-script.ts';
import { WELCOME_SCRIPT } from './script.ts';
import { createLostPage, createPage } from './shell.ts';
import type { Page } from './shell.ts';

/** How people can sign in here besides with a password. */
export interface SignInOptions {
  /** What the button of the provider says; undefined without one. */
  ssoName: string | undefined;
  /** Whether a forgotten password can be helped by mail. */
  canMail: boolean;
  /** What signs the person in who runs the server, typed at its machine. */
  linkCommand: string;
}

export interface Pages {
  welcome: Page;
  login: Page;
  device: Page;
  lost: Page;
}

/** `fonts`: CSS that says where they are. */
export function createPages(
  { ssoName, canMail, linkCommand }: SignInOptions,
  fonts: string,
): Pages {
  const data = {
    command: linkCommand,
    ...(ssoName === undefined ? {} : { sso: ssoName }),
    ...(canMail ? { mail: '1' } : {}),
  };
  return {
    welcome: createPage(WELCOME_SCRIPT, fonts, data),
    login: createPage(LOGIN_SCRIPT, fonts, data),
    device: createPage(DEVICE_SCRIPT, fonts),
    lost: createLostPage(fonts),
  };
}
