import { barPath, type StandingBar } from './bar-path.ts';

/**
 * Bars beside each other, as one shape for each colour. An element for each bar would make the first layout of a page
 * wait for hundreds of them. Screen readers do not see it: the page has the same facts as a number or a table.
 */
export function StandingBars({
  layers,
  className,
}: {
  /** The bars of one colour: as many as there are places. */
  layers: readonly { bars: readonly StandingBar[]; className: string }[];
  className: string;
}) {
  const places = Math.max(1, ...layers.map(({ bars }) => bars.length));
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${places} 1`}
      preserveAspectRatio="none"
      shapeRendering="crispEdges"
      className={className}
    >
      {layers.map(({ bars, className: look }) => (
        <path key={look} d={barPath(bars)} className={look} />
      ))}
    </svg>
  );
}
