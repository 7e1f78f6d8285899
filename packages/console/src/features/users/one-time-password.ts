/** A password that the gateway made, and for whom. */
export interface OneTimePassword {
  email: string;
  password: string;
}
