/**
 * Whether an address is for visitors: pages of any origin may use it, as they stand on any site. Nothing there goes by
 * cookies.
 */
export const isForVisitors = (url = ''): boolean => /^\/(?:chatplugin[./]|ws\.chatplugin(?:\?|$))/.test(url);
