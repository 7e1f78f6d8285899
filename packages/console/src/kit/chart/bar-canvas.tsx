import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { type ChartSeries, stacked } from './series.ts';

const height = 180;
const hatchPx = 6;
const maxBarPx = 40;
const headroom = 1.05;
const labelPx = 24;

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

interface BarPlot {
  labels: readonly string[];
  series: readonly ChartSeries[];
  formatValue: (value: number) => string;
}

/** Stacked bars on a canvas. The upper ones are drawn first, so that each lower one covers its part. */
function drawBars(element: HTMLElement, plot: BarPlot): { resize: () => void; destroy: () => void } {
  const { labels, series } = plot;
  const edges = stacked(series);
  const order = series.map((each, index) => ({ each, edge: edges[index] ?? [] })).reverse();
  // Nothing is drawn where a series has nothing: the edge below it would show as a line.
  const drawn = order.map(({ each, edge }) => edge.map((top, index) => (each.values[index] ? top : null)));
  const data = [labels.map((_, index) => index), ...drawn] as uPlot.AlignedData;
  const chart = new uPlot(
    optionsOf(
      element,
      plot,
      order.map(({ each }) => each),
    ),
    data,
    element,
  );
  return {
    resize: () => chart.setSize({ width: element.clientWidth, height }),
    destroy: () => chart.destroy(),
  };
}

function optionsOf(
  element: HTMLElement,
  { labels, formatValue }: BarPlot,
  order: readonly ChartSeries[],
): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const grid = { stroke: colour('--border'), width: 1 };
  // The colour of the element is a readable one in the browser's own colours too.
  const axis = { stroke: style.color, font: `12px ${style.fontFamily}`, ticks: { show: false } };
  const bars = uPlot.paths.bars?.({ size: [0.7, maxBarPx], align: 0 });
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 8, 0, 0],
    scales: {
      x: { time: false, range: [-0.6, labels.length - 0.4] },
      y: { range: (_, _min, max) => [0, Math.max(1, max) * headroom] },
    },
    axes: [
      {
        ...axis,
        size: labelPx,
        grid: { show: false },
        splits: () =>
          everyNth(labels.length, Math.ceil(labels.length / Math.max(1, element.clientWidth / 72))),
        values: (_, places) => places.map((place) => labels[place] ?? ''),
      },
      { ...axis, grid, size: 64, values: (_, values) => values.map((value) => formatValue(value)) },
    ],
    series: [
      {},
      ...order.map(({ isHatched, colour: number }) => ({
        stroke: colour(`--chart-${number}`),
        fill: fillOf(colour(`--chart-${number}`), isHatched ? colour('--bg') : null),
        width: isHatched ? 1 : 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      })),
    ],
  };
}

/** Stripes on a ground, or the colour alone. */
function fillOf(colour: string, ground: string | null): () => string | CanvasPattern {
  if (ground === null) return () => colour;
  const tile = document.createElement('canvas');
  tile.width = hatchPx;
  tile.height = hatchPx;
  const pen = tile.getContext('2d');
  if (!pen) return () => colour;
  pen.fillStyle = ground;
  pen.fillRect(0, 0, hatchPx, hatchPx);
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  for (const from of [-hatchPx, 0, hatchPx]) {
    pen.moveTo(from, hatchPx);
    pen.lineTo(from + hatchPx, 0);
  }
  pen.stroke();
  const pattern = pen.createPattern(tile, 'repeat');
  return () => pattern ?? colour;
}

function everyNth(count: number, step: number): number[] {
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => count - 1 - index * step).reverse();
}
