/** The look of what floats above the page: menus, popovers, lists of choices. */
export const layer =
  'rounded-card border border-border bg-surface text-text shadow-layer outline-none transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0 motion-reduce:transition-none';

/** A row of a menu or of a list of choices. */
export const layerItem =
  'flex min-h-8 cursor-default items-center gap-2 rounded-control px-2 text-body outline-none select-none data-disabled:text-text-3 data-highlighted:bg-sunken forced-colors:data-highlighted:outline-2 forced-colors:data-highlighted:-outline-offset-2 forced-colors:data-highlighted:outline-solid pointer-coarse:min-h-11';

/** Behind what stands in front of the page. */
export const backdrop =
  'fixed inset-0 z-40 bg-[rgb(0_0_0/0.4)] transition-opacity duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0 motion-reduce:transition-none';
