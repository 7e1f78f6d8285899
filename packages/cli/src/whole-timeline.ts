const spansPerPage = 1_000;

interface Page<Span> {
  spans: Span[];
  nextCursor: string | null;
}

/** Reads a timeline page by page, up to a number of spans. */
export async function wholeTimeline<Span>(
  limit: number,
  read: (query: { limit: number; cursor: string | undefined }) => Promise<Page<Span>>,
): Promise<{ spans: Span[]; isCut: boolean }> {
  const spans: Span[] = [];
  let cursor: string | undefined;
  while (spans.length < limit) {
    const page = await read({ limit: Math.min(spansPerPage, limit - spans.length), cursor });
    spans.push(...page.spans);
    if (page.nextCursor === null) return { spans, isCut: false };
    cursor = page.nextCursor;
  }
  return { spans, isCut: true };
}
