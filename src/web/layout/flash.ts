import { type Html, html } from '../../lib/html.ts'
import { csrfField } from '../csrf.ts'

/** A form that undoes an action. */
export interface Undo {
  /** The path to which the form is submitted. */
  action: string
  fields: Readonly<Record<string, string>>
}

/** The message that an action shows on the next page. */
export interface Flash {
  text: string
  undo?: Undo | undefined
}

/** Maximum length of the encoded cookie. Browsers ignore cookies of more than 4,096 bytes. */
const MAX_COOKIE_CHARACTERS = 3_800
const MAX_TEXT_CHARACTERS = 500

/** Returns a message as a cookie value. Leaves out the form that undoes the action if the cookie would be too long. */
export function encodeFlash({ text, undo }: Flash): string {
  const encode = (flash: Flash) => Buffer.from(JSON.stringify(flash)).toString('base64url')
  const short = text.slice(0, MAX_TEXT_CHARACTERS)
  const encoded = encode({ text: short, undo })
  return encoded.length > MAX_COOKIE_CHARACTERS ? encode({ text: short }) : encoded
}

/** Returns the message in a cookie; undefined if the value was not created by {@link encodeFlash}. */
export function decodeFlash(cookie: string): Flash | undefined {
  try {
    const { text, undo } = JSON.parse(Buffer.from(cookie, 'base64url').toString('utf8')) as Partial<Flash>
    if (typeof text !== 'string') return undefined
    const isForm = typeof undo?.action === 'string' && undo.action.startsWith('/account/') && isTexts(undo.fields)
    return { text: text.slice(0, MAX_TEXT_CHARACTERS), undo: isForm ? undo : undefined }
  } catch {
    return undefined
  }
}

const isTexts = (fields: unknown): boolean =>
  typeof fields === 'object' && fields !== null && Object.values(fields).every((value) => typeof value === 'string')

/** Renders a message. If the message has a form that undoes the action, also renders the button of this form. */
export const flashView = ({ text, undo }: Flash, csrf: string): Html =>
  html`<div class="notice flash" role="status"><p>${text}</p>${
    undo &&
    html`<form method="post" action="${undo.action}">${csrfField(csrf)}${Object.entries(undo.fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button class="small">Undo</button></form>`
  }</div>`
