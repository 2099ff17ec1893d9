/** The page to try a channel on: its form is its address, `?channel_id=…&theme=…&accent=…`. */
const given = new URLSearchParams(location.search);
const channelId = given.get('channel_id') ?? '';
const accent = given.get('accent') ?? '#4353d8';
const theme = given.get('theme') ?? 'auto';
const config = { theme, ...(given.has('accent') && { colors: { accent } }) };

if (channelId !== '') window.parley = { channelId, config };
document.documentElement.dataset.theme = theme;

document.addEventListener('DOMContentLoaded', () => {
  const form = document.forms[0];
  // The page's policy lets no form be sent.
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    location.search = String(new URLSearchParams(new FormData(form)));
  });
  for (const [name, value] of Object.entries({ channel_id: channelId, theme, accent })) {
    form.elements.namedItem(name).value = value;
  }
  document.querySelector('code').textContent = snippet();
});

/** What a page needs, as text to copy. */
function snippet() {
  const embedding = JSON.stringify({ channelId: channelId || '…', host: location.origin, config }).replaceAll(
    '<',
    '\\u003c',
  );
  const close = '</script>';
  return `<script>window.parley = ${embedding};${close}\n<script async src="${location.origin}/chatplugin/ui/s.js">${close}`;
}
