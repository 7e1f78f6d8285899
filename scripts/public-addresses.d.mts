export function brokenAddresses(
  url: string,
  options?: { texts?: readonly string[]; more?: readonly string[] },
): Promise<string[]>;
