/** The id of the control of a place in the settings: `servers.0.name`. */
export function settingId(path: string): string {
  return `setting-${path}`;
}
