/** Events of several instances in one line. Their ids begin with the time, so the order of ids is the order of time. */
export function newestFirst<Event extends { id: string }>(events: readonly Event[]): Event[] {
  return [...events].sort((left, right) => (left.id < right.id ? 1 : -1));
}
