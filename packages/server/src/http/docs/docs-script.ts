/**
 * The page's script: filter, copy buttons, the gateway's own address in the examples. It is plain JavaScript that runs
 * without a build. Without it the page is complete.
 */
export const docsScript = `'use strict';

const filter = document.getElementById('filter');
filter.hidden = false;
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const element of document.querySelectorAll('[data-find]')) {
    element.hidden = !words.every((word) => element.dataset.find.includes(word));
  }
  for (const group of document.querySelectorAll('[data-group]')) {
    group.hidden = group.querySelector('[data-find]:not([hidden])') === null;
  }
  document.getElementById('nothing').hidden = document.querySelector('article:not([hidden])') !== null;
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== filter) {
    event.preventDefault();
    filter.focus();
  }
});

for (const figure of document.querySelectorAll('article figure')) {
  const code = figure.querySelector('code');
  code.textContent = code.textContent.replace('http://127.0.0.1:7300', location.origin);
  if (!navigator.clipboard) continue; // browsers have it only on https and loopback
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  figure.append(button);
}

// A phone starts with the groups folded. Otherwise the list would fill the screen before all other content.
if (matchMedia('(max-width: 860px)').matches) {
  for (const group of document.querySelectorAll('nav details')) group.open = false;
}
`;
