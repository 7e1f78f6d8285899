/** The axes and wildcards of a sweep, and why it waits. */
export const sweepTexts = {
  sweep_queue_full:
    'The queue has no room for more of your tasks at the moment. The rest is made by itself as tasks end.',
  sweep_too_many_runs:
    'This makes {total} runs, and a sweep makes at most {max}. Take fewer values, a larger step or fewer axes.',
  sweep_values_too_large:
    'The values of all {total} runs take more than {max} bytes. Shorten the texts, or take fewer values.',
  sweep_axis_unknown: 'The workflow has no parameter "{name}". It has {names}.',
  sweep_axis_one: 'Give the axis of "{name}" one of values, range, lines and seeds.',
  sweep_axis_twice: '"{name}" is on two axes. Put its values on one.',
  sweep_range_no_number: '"{name}" takes no numbers, so it has no range. Give its values one by one.',
  sweep_lines_empty: 'No line for "{name}" has text. Write one value a line.',
  sweep_seeds_no_number: '"{name}" takes no numbers, so it has no seeds. Give its values one by one.',
  sweep_seeds_few: '"{name}" takes only {count} different numbers. Ask for fewer seeds.',
  wildcard_no_text:
    '"{name}" has no text in which a run could pick. Give it a text, or switch its wildcards off.',
  wildcard_open:
    'In "{name}", the group that begins with {given} is not closed. Close it, or put a backslash before its brace.',
  wildcard_deep: 'In "{name}", groups stand in groups more than {max} deep. Write it with fewer.',
} as const;
