// Lets respondents draw their signature with a mouse, a finger or a pen. Without this script, they upload a picture of
// their signature instead. In both cases they also type their name. The drawing is submitted with the form as a file.
import SignaturePad from 'signature_pad'

/**
 * Pixels of the drawing for each CSS pixel. With this value, the drawing is sharp on every screen and its file is
 * small.
 */
const PIXEL_RATIO = 2
const FILE_NAME = 'signature.png'

function element<Name extends keyof HTMLElementTagNameMap>(name: Name, className: string, text = '') {
  const created = document.createElement(name)
  created.className = className
  created.textContent = text
  return created
}

function bytesOf(dataUrl: string): Uint8Array<ArrayBuffer> {
  const binary = atob(dataUrl.slice(dataUrl.indexOf(',') + 1))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

function enhanceSignature(container: HTMLElement): void {
  const { draw, clear, drawn, cleared } = container.dataset as Record<string, string>
  const input = container.querySelector<HTMLInputElement>('input[type=file]')!
  const label = container.querySelector('label')!
  const canvas = element('canvas', 'signature-pad')
  const button = element('button', 'quiet', clear)
  const status = element('p', 'hidden')
  label.textContent = draw!
  label.id = `${input.id}-l`
  label.removeAttribute('for')
  canvas.setAttribute('role', 'img')
  canvas.setAttribute('aria-labelledby', label.id)
  // The canvas gets the ID of the field, because the error summary links to this ID.
  canvas.id = input.id
  canvas.tabIndex = -1
  input.removeAttribute('id')
  input.hidden = true
  button.type = 'button'
  button.hidden = true
  status.setAttribute('role', 'status')
  input.after(canvas, button, status)

  const pad = new SignaturePad(canvas, { backgroundColor: '#fff', penColor: '#111' })
  /** Adds the drawing to the form as a file. Without a drawing, the form has no file. */
  const update = () => {
    const files = new DataTransfer()
    if (!pad.isEmpty()) files.items.add(new File([bytesOf(pad.toDataURL())], FILE_NAME, { type: 'image/png' }))
    input.files = files.files
    button.hidden = pad.isEmpty()
    container.dispatchEvent(new Event('input', { bubbles: true }))
  }
  pad.addEventListener('endStroke', () => {
    // The new drawing replaces the stored image, so the list of stored files is removed.
    container.querySelector('.files')?.remove()
    container.querySelector('.untick')?.remove()
    update()
    status.textContent = drawn!
  })
  button.addEventListener('click', () => {
    pad.clear()
    update()
    status.textContent = cleared!
    canvas.focus()
  })
  // A canvas loses its content when its size changes, for example when the respondent turns a phone or when a hidden
  // question becomes visible.
  new ResizeObserver(() => {
    const { clientWidth, clientHeight } = canvas
    const [width, height] = [clientWidth * PIXEL_RATIO, clientHeight * PIXEL_RATIO]
    if (width === 0 || (canvas.width === width && canvas.height === height)) return
    const strokes = pad.toData()
    Object.assign(canvas, { width, height })
    canvas.getContext('2d')!.scale(PIXEL_RATIO, PIXEL_RATIO)
    pad.fromData(strokes)
  }).observe(canvas)
  // A browser that restores the page from its history keeps the file but not the drawing, so the file is removed.
  input.value = ''
}

for (const container of document.querySelectorAll<HTMLElement>('[data-signature]')) enhanceSignature(container)
