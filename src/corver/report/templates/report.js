"use strict";
(() => {
  const tip = document.getElementById("tip");
  let pinned = null;

  // The list of scores under each completion is the one source; the panel shows a copy of one entry.
  const entry = (sentence) => {
    const excerpt = sentence.closest(".excerpt");
    const index = [...excerpt.querySelectorAll(".s")].indexOf(sentence);
    return excerpt.querySelectorAll(".scores > ol > li")[index];
  };

  const show = (sentence) => {
    const item = entry(sentence);
    if (!item) return;
    document.querySelectorAll(".s.on").forEach((other) => other.classList.remove("on"));
    sentence.classList.add("on");
    tip.replaceChildren(...[...item.cloneNode(true).childNodes]);
    tip.hidden = false;
    const box = sentence.getClientRects()[0];
    if (!box || window.innerWidth < 700) {
      tip.style.left = tip.style.top = "";
      return;
    }
    const last = sentence.getClientRects()[sentence.getClientRects().length - 1];
    const left = Math.min(Math.max(12, box.left), window.innerWidth - tip.offsetWidth - 12);
    const below = last.bottom + 8;
    const top = below + tip.offsetHeight > window.innerHeight ? box.top - tip.offsetHeight - 8 : below;
    tip.style.left = `${left}px`;
    tip.style.top = `${Math.max(8, top)}px`;
  };

  const hide = () => {
    tip.hidden = true;
    pinned = null;
    document.querySelectorAll(".s.on").forEach((other) => other.classList.remove("on"));
  };

  document.querySelectorAll(".s").forEach((sentence) => {
    sentence.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse" && !pinned) show(sentence);
    });
    sentence.addEventListener("pointerleave", () => {
      if (!pinned) hide();
    });
    sentence.addEventListener("focus", () => show(sentence));
    sentence.addEventListener("blur", hide);
    sentence.addEventListener("click", (event) => {
      event.stopPropagation();
      if (pinned === sentence) return hide();
      pinned = sentence;
      show(sentence);
    });
  });
  document.addEventListener("click", hide);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
  // Moving the focus by keyboard scrolls the page: the panel follows its sentence then, and closes otherwise.
  const follow = () => {
    const focused = document.activeElement;
    if (!tip.hidden && focused.matches(".s:focus-visible")) show(focused);
    else hide();
  };
  document.addEventListener("scroll", follow, { passive: true });
  document.querySelectorAll("form").forEach((form) => {
    form.addEventListener("submit", (event) => event.preventDefault());
  });

  document.querySelectorAll(".chart").forEach((chart) => {
    const xs = chart.dataset.x.split("|").map(Number);
    const ys = chart.dataset.y.split("|").map(Number);
    const steps = chart.dataset.step.split("|");
    const raw = chart.dataset.raw.split("|");
    const figure = chart.closest("figure");
    const read = figure.querySelector(".read");
    const output = figure.querySelector("output");
    const cross = chart.querySelector(".cross");
    const end = chart.querySelector(".end");
    const rest = [read.textContent, output.textContent];
    const place = (index) => {
      end.setAttribute("cx", xs[index]);
      end.setAttribute("cy", ys[index]);
    };
    chart.addEventListener("pointermove", (event) => {
      const box = chart.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
      let best = 0;
      xs.forEach((at, index) => {
        if (Math.abs(at - x) < Math.abs(xs[best] - x)) best = index;
      });
      cross.setAttribute("x1", xs[best]);
      cross.setAttribute("x2", xs[best]);
      chart.classList.add("live");
      place(best);
      read.textContent = `at step ${steps[best]}`;
      output.textContent = raw[best];
    });
    chart.addEventListener("pointerleave", () => {
      chart.classList.remove("live");
      place(xs.length - 1);
      [read.textContent, output.textContent] = rest;
    });
  });
})();
