// Sends messages to the page that frames a survey: when a page of the survey is shown, how high this page is, and when
// the respondent has reached the end of the survey. The messages contain no data of the respondent, so every page that
// frames the survey may receive them.

if (parent !== window) {
  const send = (type, values) => parent.postMessage({ source: 'canvass', version: 1, type, ...values }, '*')
  const sendHeight = () => send('height', { height: Math.ceil(document.body.getBoundingClientRect().bottom + scrollY) })
  document.documentElement.classList.add('framed')
  send('page')
  if (document.querySelector('main[data-completed]')) send('completed')
  new ResizeObserver(sendHeight).observe(document.body)
  addEventListener('message', ({ source, data }) => {
    if (source === parent && data?.source === 'canvass' && data.version === 1 && data.type === 'measure') sendHeight()
  })
  // The history restores a page without running its script again.
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    send('page')
    sendHeight()
  })
}
