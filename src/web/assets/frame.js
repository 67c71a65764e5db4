// Sets the height of the frames of inline embeds (kind "iframe") to the height of the survey in the frame. The script
// runs on other websites, so it has no dependencies. If a page contains several snippets from the same server, the
// first copy of the script sets the height of all their frames.
;(() => {
  const home = new URL(document.currentScript.src).origin
  window.canvassFrames ??= new Set()
  if (window.canvassFrames.has(home)) return
  window.canvassFrames.add(home)

  const shown = new WeakSet()
  const frames = () => [...document.querySelectorAll('iframe[data-canvass-frame]')]

  addEventListener('message', ({ origin, source, data }) => {
    // Only the server that served this script changes frames.
    if (origin !== home || data?.source !== 'canvass' || data.version !== 1) return
    const frame = frames().find(({ contentWindow }) => contentWindow === source)
    if (!frame) return
    if (data.type === 'height' && data.height > 0) frame.style.height = `${data.height}px`
    // The next survey page begins at the top of the frame, which can be above the visible part of the website's page.
    if (data.type === 'page' && shown.has(frame) && frame.getBoundingClientRect().top < 0) frame.scrollIntoView()
    shown.add(frame)
  })
  // The surveys may have sent their height before this script was loaded.
  for (const frame of frames()) frame.contentWindow.postMessage({ source: 'canvass', version: 1, type: 'measure' }, '*')
})()
