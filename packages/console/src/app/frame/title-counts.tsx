import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { overviewQuery } from '../../lib/data/overview.ts';
import { setTitleCounts } from '../../lib/document-title.ts';
import { type FaviconMark, markFavicon } from './favicon.ts';
import { useIsCurrent } from './page-links.tsx';

/** Keeps the title and the icon of the window true: what runs, and what has failed since the tasks were last looked at. */
export function TitleCounts() {
  const { data } = useQuery(overviewQuery());
  const looksAtTasks = useIsCurrent('tasks');
  const seen = useRef<number | null>(null);
  useEffect(() => {
    if (!data) return;
    const { runningTasks: running, failedTasks } = data;
    if (seen.current === null || looksAtTasks || failedTasks < seen.current) seen.current = failedTasks;
    const failed = failedTasks - seen.current;
    setTitleCounts({ running, failed });
    const mark: FaviconMark = failed > 0 ? 'failed' : running > 0 ? 'running' : null;
    void markFavicon(mark);
  }, [data, looksAtTasks]);
  return null;
}
