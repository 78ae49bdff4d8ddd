/** How people can sign in here besides with a password. The server writes it into its pages. */
export interface SignInOptions {
  /** What the button of the provider says; undefined without one. */
  ssoName: string | undefined;
  /** Whether a forgotten password can be helped by mail. */
  canMail: boolean;
  /** What signs the person in who runs the server, typed at its machine. */
  linkCommand: string;
}
