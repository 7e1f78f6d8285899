/** Returns true when a text of the file refers to the environment (or escapes such a reference). */
export function isTemplate(text: string): boolean {
  return text.includes('${');
}

/**
 * Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}`; `$${` stands for a literal `${`. A default or a
 * message also applies to a variable that is set but empty. Throws a RangeError that names the variable.
 */
export function interpolate(text: string, env: Record<string, string | undefined>): string {
  return text.replace(/\$\$\{|\$\{([^}]*)(\}?)/g, (whole: string, inner: string | undefined, end: string) => {
    if (whole === '$${') return '${';
    if (end === '') throw new RangeError(`has no closing brace after "\${${inner}"`);
    return lookUp(inner ?? '', env);
  });
}

function lookUp(inner: string, env: Record<string, string | undefined>): string {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)(?::([-?])(.*))?$/s.exec(inner);
  if (!match) {
    throw new RangeError(
      `has "\${${inner}}", which is none of \${NAME}, \${NAME:-default}, \${NAME:?message}`,
    );
  }
  const [, name = '', operator, rest = ''] = match;
  if (rest.includes('${'))
    throw new RangeError(`nests one variable in another after "${name}"; use one only`);
  const value = env[name];
  if (operator === '-') return value || rest;
  if (operator === '?' && !value)
    throw new RangeError(`needs the environment variable ${name}: ${rest || 'not set'}`);
  if (value === undefined) {
    throw new RangeError(`needs the environment variable ${name}; set it, or write \${${name}:-default}`);
  }
  return value;
}
