/** What belongs into a prompt and cannot be read does not stop a run: it goes on without, and the log says so. */
export async function textOrNothing(
  reading: Promise<string>,
  log: { warn(details: object, message: string): void },
  message: string,
): Promise<string> {
  try {
    return await reading;
  } catch (error) {
    log.warn({ err: error }, message);
    return '';
  }
}
