import { type Html, html, trusted } from '../../lib/html.ts'

/** The drawings of the icons, in a square of 24 units. */
const DRAWINGS = {
  surveys: '<rect x="5" y="4" width="14" height="17" rx="2"/><path d="M9 4V2.5h6V4M9 10h6M9 14h6"/>',
  contacts: '<circle cx="12" cy="8" r="4"/><path d="M4 21c0-4 3.5-7 8-7s8 3 8 7"/>',
  groups:
    '<circle cx="9" cy="8" r="3.5"/><path d="M2 20c0-3.5 3-6 7-6s7 2.5 7 6M16 4.8a3.5 3.5 0 0 1 0 6.4M18.5 14.5c2.2.9 3.5 2.9 3.5 5.5"/>',
  webhooks: '<path d="M13 2 4 14h7l-1 8 9-12h-7z"/>',
  keys: '<circle cx="8" cy="15" r="4"/><path d="m11 12 9-9M16 7l3 3"/>',
  account:
    '<circle cx="12" cy="12" r="9"/><circle cx="12" cy="10" r="3"/><path d="M6.5 19c1-2.5 3-4 5.5-4s4.5 1.5 5.5 4"/>',
  help: '<circle cx="12" cy="12" r="9"/><path d="M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1 1-1.1 1.8M12 17v.01"/>',
  'sign-out': '<path d="M10 4H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h4M15 8l4 4-4 4M19 12H9"/>',
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  overview: '<path d="M4 16a8 8 0 0 1 16 0M12 16l4-4"/>',
  edit: '<path d="m4 20 1-4L16 5l3 3L8 19zM14 7l3 3"/>',
  responses: '<path d="M4 6h16M4 12h16M4 18h10"/>',
  reports: '<path d="M5 20v-7M12 20V4M19 20v-11"/>',
  invitations: '<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3 7 9 6 9-6"/>',
  embeds: '<path d="m8 7-5 5 5 5M16 7l5 5-5 5"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  view: '<path d="M14 4h6v6M20 4l-9 9M18 14v5H5V6h5"/>',
  copy: '<rect x="9" y="9" width="11" height="11" rx="2"/><path d="M5 15H4V4h11v1"/>',
  delete: '<path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5"/>',
  tag: '<path d="M4 4h8l8 8-8 8-8-8zM8.5 8.5v.01"/>',
  download: '<path d="M12 4v11M7 10l5 5 5-5M4 20h16"/>',
} as const

/** The name of an icon. */
export type IconName = keyof typeof DRAWINGS

/** Renders an icon beside a label. Screen readers skip it. */
export const icon = (name: IconName): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">${trusted(DRAWINGS[name])}</svg>`
