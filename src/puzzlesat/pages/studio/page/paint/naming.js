// A button that asks for the name of something new: a colour, a mark.
import { button, element } from "../dom.js";

/** @param {import("../app.js").App} app @param {string} words what is named
 * @param {[string, string][]} kinds of which one is chosen, each with its words; none: there is nothing to choose
 * @param {(name: string, kind: string) => unknown} does with a name that is not empty */
export function namer(app, words, kinds, does) {
  const place = element("span", { class: "namer" });
  const closed = () => place.replaceChildren(button(`+ ${words}`, () => opened(), { class: "brush" }));
  function opened() {
    const name = element("input", { "aria-label": words, maxlength: 20, placeholder: words, autocomplete: "off" });
    const kind = element("select", { "aria-label": app.t("naming_kind"), hidden: !kinds.length }, ...kinds.map(([value, said]) => element("option", { value }, said)));
    const done = () => {
      const own = name.value.trim();
      if (!own) return name.focus();
      closed();
      does(own, kind.value);
    };
    name.addEventListener("keydown", (event) => {
      if (event.key === "Enter") done();
      else if (event.key === "Escape") closed();
    });
    place.replaceChildren(name, kind, button(app.t("naming_add"), done), button("×", closed, { class: "close", "aria-label": app.t("cancel") }));
    name.focus();
  }
  closed();
  return place;
}
