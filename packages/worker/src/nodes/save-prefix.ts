/** ComfyUI's placeholders in a file name prefix. `%batch_num%` is filled in file by file. */
export function filledPrefix(
  prefix: string,
  { width, height }: { width: number; height: number },
  now: Date = new Date(),
): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const values: Record<string, string> = {
    width: String(width),
    height: String(height),
    year: String(now.getFullYear()),
    month: two(now.getMonth() + 1),
    day: two(now.getDate()),
    hour: two(now.getHours()),
    minute: two(now.getMinutes()),
    second: two(now.getSeconds()),
  };
  return prefix.replace(/%(\w+)%/g, (whole, name: string) => values[name] ?? whole);
}
