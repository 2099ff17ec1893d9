const forVisitors = /^\/(?:chatplugin[./]|ws\.chatplugin$)/;

/**
 * Whether an address is for visitors: pages of any origin may use it, as they stand on any site. Nothing there goes by
 * cookies. What only begins so and leads elsewhere, by `..` in any spelling, is not.
 */
export function isForVisitors(url = ''): boolean {
  const [path = ''] = url.split('?', 1);
  return forVisitors.test(path) && URL.parse(path, 'http://hub.invalid')?.pathname === path;
}
