/** What travels in the form of a preview, so that it goes on where it was. */
const CARRIED = ['_answers', '_pagepath', '_lang', '_key']
/** Milliseconds that the cursor stays on another page until the preview follows. */
const SETTLED = 300

export interface LivePreview {
  /** Shows the text as it is now. */
  refresh(): void
  /** Shows the page that the cursor is on, if it is another one. */
  follow(): void
}

/**
 * Keeps the preview up to date. Each state comes into a frame of its own that takes the place of the last one when it
 * is there: nothing flickers, and the history of the browser stays as it is.
 * @param entry position in `form` where the cursor is
 * @param right whether the text can be shown
 */
export function livePreview(
  form: HTMLFormElement,
  address: string,
  text: () => string,
  entry: () => number | undefined,
  right: () => boolean,
): LivePreview {
  let shown = document.querySelector<HTMLIFrameElement>('iframe[name=preview]')
  let coming: HTMLIFrameElement | undefined
  let count = 0
  let at: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function refresh(): void {
    if (!shown) return
    at = entry() ?? at
    coming?.remove()
    const frame = document.createElement('iframe')
    frame.name = `preview-${++count}`
    frame.title = shown.title
    frame.className = 'coming'
    frame.tabIndex = -1
    shown.after(frame)
    coming = frame
    send(frame.name)
    frame.addEventListener('load', () => arrive(frame))
  }

  function send(target: string): void {
    const sender = document.createElement('form')
    Object.assign(sender, { method: 'post', action: address, target, hidden: true })
    const fields: Record<string, string> = {
      _csrf: String(new FormData(form).get('_csrf')),
      structure: text(),
      ...stateOf(shown),
      ...(at !== undefined && { _at: String(at) }),
    }
    for (const [name, value] of Object.entries(fields)) {
      const input = document.createElement('input')
      Object.assign(input, { type: 'hidden', name, value })
      sender.append(input)
    }
    document.body.append(sender)
    sender.submit()
    sender.remove()
  }

  function arrive(frame: HTMLIFrameElement): void {
    // Some browsers tell of the empty page that every frame begins with.
    if (frame !== coming || frame.contentWindow?.location.href === 'about:blank') return
    const scrolled = shown?.contentWindow?.scrollY ?? 0
    frame.className = ''
    frame.removeAttribute('tabindex')
    shown?.remove()
    frame.name = 'preview'
    frame.contentWindow?.scrollTo(0, scrolled)
    shown = frame
    coming = undefined
  }

  form.querySelector('button[formtarget=preview]')?.addEventListener('click', (event) => {
    event.preventDefault()
    refresh()
    document.querySelector('.preview')?.scrollIntoView({ behavior: 'smooth' })
  })
  return {
    refresh,
    follow: () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        const now = entry()
        if (now !== undefined && now !== at && right()) refresh()
      }, SETTLED)
    },
  }
}

/** Where a preview is: its answers so far, and its page. */
function stateOf(frame: HTMLIFrameElement | null): Record<string, string> {
  const form = frame?.contentDocument?.querySelector<HTMLFormElement>('form#preview')
  if (!form) return {}
  const data = new FormData(form)
  const state: Record<string, string> = {}
  for (const name of CARRIED) if (data.has(name)) state[name] = String(data.get(name))
  if (data.has('_page')) state._leaf = String(data.get('_page'))
  return state
}
