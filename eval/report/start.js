"use strict";

tables.start();
topics.start();
charts.start();
