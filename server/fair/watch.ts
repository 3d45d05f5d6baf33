/** Looks every so many milliseconds for as long as anybody waits, which `look` says; costs nothing while nobody does. */
export function makeWatch(milliseconds: number, look: () => boolean): () => void {
  let isOn = false
  return function watch() {
    if (isOn) return
    isOn = true
    setTimeout(() => {
      isOn = false
      if (look()) watch()
    }, milliseconds)
  }
}
