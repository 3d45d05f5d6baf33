/** Checks every so many milliseconds for as long as anybody waits, which `check` says; costs nothing while nobody does. */
export function makeWatch(milliseconds: number, check: () => boolean): () => void {
  let isOn = false
  return function watch() {
    if (isOn) return
    isOn = true
    setTimeout(() => {
      isOn = false
      if (check()) watch()
    }, milliseconds)
  }
}
