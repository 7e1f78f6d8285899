const maxTitle = 80;

/** The first question of a run as its title; null when it has none. */
export function runTitle({
  first_human_message: asked,
}: {
  first_human_message: string | null;
}): string | null {
  if (!asked) return null;
  return asked.length > maxTitle ? `${asked.slice(0, maxTitle)}…` : asked;
}
