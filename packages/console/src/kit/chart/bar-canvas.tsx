import { useEffect, useRef } from 'react';
import 'uplot/dist/uPlot.min.css';
import { type BarPlot, drawBars } from './bar-plot.ts';

/** Draws the bars again when the numbers, the width or the theme change. The table beside it is what screen readers read. */
export function BarCanvas({ labels, series, formatValue }: BarPlot) {
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = area.current;
    if (!element) return;
    let chart = drawBars(element, { labels, series, formatValue });
    const redraw = (): void => {
      chart.destroy();
      chart = drawBars(element, { labels, series, formatValue });
    };
    const sizes = new ResizeObserver(() => chart.resize());
    sizes.observe(element);
    const themes = new MutationObserver(redraw);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      sizes.disconnect();
      themes.disconnect();
      chart.destroy();
    };
  }, [labels, series, formatValue]);
  return <div ref={area} aria-hidden className="h-45 w-full overflow-hidden text-text-2" />;
}
