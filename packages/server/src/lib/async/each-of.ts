/** Works on a few at a time. The first failure ends all. */
export async function eachOf<Item>(
  items: AsyncGenerator<Item>,
  work: (item: Item) => Promise<void>,
  /** As many as a disk or a service takes side by side. */
  atOnce = 4,
): Promise<void> {
  const worker = async (): Promise<void> => {
    for await (const item of items) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
