/** The id of the control of a parameter, for links that lead to it. */
export function fieldId(name: string): string {
  return `field-${name}`;
}
